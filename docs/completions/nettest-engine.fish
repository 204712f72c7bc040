complete -c nettest-engine -s c -l client -d 'Run as a client of HOST (HOST%DEV binds to the interface DEV)' -r
complete -c nettest-engine -l probe -d 'Ask whether a server takes tests at HOST; exit 0 if so. One of ours does not count it as a test; iperf3\'s takes it for a test that broke off, and ends if it runs with -1' -r
complete -c nettest-engine -s p -l port -d 'Port to listen on or to connect to' -r
complete -c nettest-engine -s f -l format -d 'Unit of bitrates in text: k m g t (bits) or K M G T (bytes)' -r
complete -c nettest-engine -s i -l interval -d 'Seconds between rows: 0 (none) or 0.1 to 60' -r
complete -c nettest-engine -s I -l pidfile -d 'Write the process\'s number to FILE while it runs (a server: once it listens)' -r -F
complete -c nettest-engine -s F -l file -d 'A sending end reads FILE in place of random bytes (a client without -t, -n or -k sends it once); a receiving end writes what comes to FILE' -r -F
complete -c nettest-engine -s A -l affinity -d 'CPU for the data threads, an index into the allowed CPUs; a list N:N:… is taken in turn by the streams; a client may add the server\'s CPU' -r
complete -c nettest-engine -s B -l bind -d 'Local address or name (HOST%DEV binds to the interface DEV)' -r
complete -c nettest-engine -l bind-dev -d 'Local interface' -r
complete -c nettest-engine -l logfile -d 'Append the output to FILE' -r -F
complete -c nettest-engine -l timestamps -d 'Put the local time before every line of text, in strftime\'s format' -r
complete -c nettest-engine -l rcv-timeout -d 'Milliseconds that a receiver waits for data' -r
complete -c nettest-engine -l snd-timeout -d 'Milliseconds that sent data may stay unacknowledged (TCP; 0: the kernel\'s own limit)' -r
complete -c nettest-engine -l cntl-ka -d 'TCP keepalive of the control connection: idle seconds, seconds between probes, number of probes' -r
complete -c nettest-engine -s d -l debug -d 'Say on stderr what goes on, from 1 (little) to 4 (all)' -r
complete -c nettest-engine -l max-tests -d 'Tests at a time (default 1)' -r
complete -c nettest-engine -l queue -d 'Clients of ours that may stand in line when all tests are taken (default 16); one address has a quarter of the places at the most; others are told "busy"' -r
complete -c nettest-engine -l idle-timeout -d 'Seconds that an idle server waits for a test, and then ends with an error; only with -1 or --run-token, any other server waits on' -r
complete -c nettest-engine -l server-bitrate-limit -d 'Refuse tests that ask for more bits per second in all, and end those that exceed it in the mean of SECONDS (default 5)' -r
complete -c nettest-engine -l server-max-duration -d 'Refuse tests longer than so many seconds, the omitted part included (0: no limit)' -r
complete -c nettest-engine -l rsa-private-key-path -d 'RSA private key (PEM) that reads logins; with --authorized-users-path only known users may test' -r -F
complete -c nettest-engine -l authorized-users-path -d 'Users who may test: lines of name,SHA-256' -r -F
complete -c nettest-engine -l time-skew-threshold -d 'Seconds that a client\'s clock may be off at the login (default 10)' -r
complete -c nettest-engine -l health-port -d 'Answer GET /healthz on PORT, apart from the test port' -r
complete -c nettest-engine -s X -l xbind -d 'SCTP: local address or name to bind; give it once for each' -r
complete -c nettest-engine -l nstreams -d 'SCTP: streams of each association' -r
complete -c nettest-engine -l connect-timeout -d 'Milliseconds to wait for the control connection and the first answer on it' -r
complete -c nettest-engine -l queue-timeout -d 'Seconds to stand in line at a busy server of ours (default 60; 0: not at all)' -r
complete -c nettest-engine -s b -l bitrate -d 'Bits per second a stream (0: unlimited), blocks in a burst' -r
complete -c nettest-engine -l fq-rate -d 'Bits per second a stream, kept by the kernel of the sending end (0: unlimited)' -r
complete -c nettest-engine -l pacing-timer -d 'Accepted for iperf3\'s sake, without effect: pacing has no timer' -r
complete -c nettest-engine -s t -l time -d 'Seconds to measure (default 10; 0: until told to stop)' -r
complete -c nettest-engine -s n -l bytes -d 'Bytes to send in place of -t (0: as if it were not there)' -r
complete -c nettest-engine -s k -l blockcount -d 'Blocks or datagrams to send in place of -t' -r
complete -c nettest-engine -s l -l length -d 'Bytes of a block or a datagram' -r
complete -c nettest-engine -l cport -d 'Local port of the first data stream; the next streams take the next ports' -r
complete -c nettest-engine -s P -l parallel -d 'Streams at a time' -r
complete -c nettest-engine -s w -l window -d 'Socket buffers' -r
complete -c nettest-engine -s C -l congestion -d 'TCP congestion control, of both ends' -r
complete -c nettest-engine -s M -l set-mss -d 'TCP or SCTP maximum segment size' -r
complete -c nettest-engine -s S -l tos -d 'TOS byte: decimal, 0 octal, 0x hexadecimal' -r
complete -c nettest-engine -l dscp -d 'DSCP: 0 to 63 or a name (ef, af11, cs1, va …)' -r
complete -c nettest-engine -s L -l flowlabel -d 'IPv6 flow label: decimal, 0 octal, 0x hexadecimal' -r
complete -c nettest-engine -s O -l omit -d 'Seconds at the start that do not count' -r
complete -c nettest-engine -s T -l title -d 'Put before every line' -r
complete -c nettest-engine -l extra-data -d 'Put into the JSON document' -r
complete -c nettest-engine -l username -d 'User to log in as; the password is taken from IPERF3_PASSWORD or asked for' -r
complete -c nettest-engine -l rsa-public-key-path -d 'RSA public key (PEM) of the server, for the login' -r -F
complete -c nettest-engine -l run-token -d 'Secret that client and server share (also NETTEST_RUN_TOKEN)' -r
complete -c nettest-engine -l require-exclusive-cpus -d 'So many CPUs must be this process\'s own' -r
complete -c nettest-engine -l run-uid -d 'UID of the run' -r
complete -c nettest-engine -l attempt -d 'Number of the attempt' -r
complete -c nettest-engine -l variant -d 'Name of the variant. Given several times (at most 128), what follows a name up to the next is that variant\'s alone, and what stands before the first is every variant\'s' -r
complete -c nettest-engine -l repeats -d 'How often to measure, each variant once a round' -r
complete -c nettest-engine -l repeat-pause -d 'Seconds between two measurements' -r
complete -c nettest-engine -l max-spread-percent -d 'After --repeats, measure a variant again while its received rates lie further apart than PERCENT of their median' -r
complete -c nettest-engine -l max-repeats -d 'Measure no variant more often, however far apart its rates lie' -r
complete -c nettest-engine -l digest-file -d 'Write the digest to FILE at the end' -r -F
complete -c nettest-engine -s s -l server -d 'Run as a server'
complete -c nettest-engine -s v -l version -d 'Show the version and what this machine can do, and leave'
complete -c nettest-engine -s 4 -l version4 -d 'IPv4 only'
complete -c nettest-engine -s 6 -l version6 -d 'IPv6 only'
complete -c nettest-engine -s V -l verbose -d 'More detail'
complete -c nettest-engine -s J -l json -d 'iperf3\'s JSON document'
complete -c nettest-engine -l json-stream -d 'One JSON line an event'
complete -c nettest-engine -l json-stream-full-output -d 'As --json-stream, and the whole document at the end'
complete -c nettest-engine -l forceflush -d 'Accepted for iperf3\'s sake: output is always flushed'
complete -c nettest-engine -s m -l mptcp -d 'MPTCP in place of TCP; where a kernel has none, plain TCP, which is then said (a server always takes both)'
complete -c nettest-engine -l use-pkcs1-padding -d 'PKCS#1 padding for the login, as iperf3 up to 3.16'
complete -c nettest-engine -l iperf3-exit-codes -d 'Exit 1 for every failure, as iperf3'
complete -c nettest-engine -s D -l daemon -d 'Go into the background once it listens'
complete -c nettest-engine -s 1 -l one-off -d 'Leave after one test'
complete -c nettest-engine -s u -l udp -d 'UDP in place of TCP'
complete -c nettest-engine -l sctp -d 'SCTP in place of TCP'
complete -c nettest-engine -l no-fq-socket-pacing -d 'Accepted for iperf3\'s sake: --fq-rate 0'
complete -c nettest-engine -s R -l reverse -d 'The server sends'
complete -c nettest-engine -l bidir -d 'Both ends send'
complete -c nettest-engine -s N -l no-delay -d 'TCP or SCTP without Nagle\'s delay'
complete -c nettest-engine -s Z -l zerocopy -d 'TCP senders send from the page cache, without a copy'
complete -c nettest-engine -l skip-rx-copy -d 'Receivers throw the data away in the kernel: the figure is the path\'s, not an application\'s'
complete -c nettest-engine -l get-server-output -d 'Show the server\'s own report too'
complete -c nettest-engine -l udp-counters-64bit -d 'UDP sequence numbers of 64 bits'
complete -c nettest-engine -l gsro -d 'UDP segmentation and receive offload'
complete -c nettest-engine -l fast -d 'Every fast path that the protocol has, at both ends: TCP: -Z and --skip-rx-copy, UDP: --gsro and --skip-rx-copy; what a kernel or -F does not allow is left out, and said'
complete -c nettest-engine -l repeating-payload -d 'The payload repeats a pattern, as iperf2\'s'
complete -c nettest-engine -l dont-fragment -d 'UDP over IPv4: datagrams must not be fragmented'
complete -c nettest-engine -l measurement-stream -d 'Write event lines: intervals, measurements, the digest'
complete -c nettest-engine -s h -l help -d 'Print help'
