# Print an optspec for argparse to handle cmd's options that are independent of any subcommand.
function __fish_kubectl_nettest_global_optspecs
    string join \n no-color n/namespace= A/all-namespaces context= kubeconfig= h/help V/version
end

function __fish_kubectl_nettest_needs_command
    # Figure out if the current invocation already has a command.
    set -l cmd (commandline -opc)
    set -e cmd[1]
    argparse -s (__fish_kubectl_nettest_global_optspecs) -- $cmd 2>/dev/null
    or return
    if set -q argv[1]
        # Also print the command, so this can be used to figure out what it is.
        echo $argv[1]
        return 1
    end
    return 0
end

function __fish_kubectl_nettest_using_subcommand
    set -l cmd (__fish_kubectl_nettest_needs_command)
    test -z "$cmd"
    and return 1
    contains -- $cmd[1] $argv
end

complete -c kubectl-nettest -n "__fish_kubectl_nettest_needs_command" -s n -l namespace -d 'Namespace; else the context\'s. For run: of tests that name none' -r
complete -c kubectl-nettest -n "__fish_kubectl_nettest_needs_command" -l context -d 'Context of the kubeconfig' -r
complete -c kubectl-nettest -n "__fish_kubectl_nettest_needs_command" -l kubeconfig -d 'The kubeconfig; else $KUBECONFIG, else ~/.kube/config' -r -F
complete -c kubectl-nettest -n "__fish_kubectl_nettest_needs_command" -l no-color -d 'No colours, whatever the terminal; so does the variable NO_COLOR'
complete -c kubectl-nettest -n "__fish_kubectl_nettest_needs_command" -s A -l all-namespaces -d 'Look for the name in all namespaces; with cleanup --all: those of all namespaces'
complete -c kubectl-nettest -n "__fish_kubectl_nettest_needs_command" -s h -l help -d 'Print help'
complete -c kubectl-nettest -n "__fish_kubectl_nettest_needs_command" -s V -l version -d 'Print version'
complete -c kubectl-nettest -n "__fish_kubectl_nettest_needs_command" -f -a "run" -d 'Run the NetTests of a file and show what they measured'
complete -c kubectl-nettest -n "__fish_kubectl_nettest_needs_command" -f -a "watch" -d 'Follow a run that is going: its rows, its pairs, and the result at its end'
complete -c kubectl-nettest -n "__fish_kubectl_nettest_needs_command" -f -a "report" -d 'Write a report of the latest run that has ended'
complete -c kubectl-nettest -n "__fish_kubectl_nettest_needs_command" -f -a "compare" -d 'Two runs side by side: what changed, and whether it is more than noise'
complete -c kubectl-nettest -n "__fish_kubectl_nettest_needs_command" -f -a "matrix" -d 'A mesh as a table: from each node to each'
complete -c kubectl-nettest -n "__fish_kubectl_nettest_needs_command" -f -a "history" -d 'The runs of a test'
complete -c kubectl-nettest -n "__fish_kubectl_nettest_needs_command" -f -a "why" -d 'Why a run ended as it did, or what it waits for'
complete -c kubectl-nettest -n "__fish_kubectl_nettest_needs_command" -f -a "cleanup" -d 'Delete finished runs, and with them their pods and ConfigMaps'
complete -c kubectl-nettest -n "__fish_kubectl_nettest_needs_command" -f -a "completion" -d 'Completions of this command line for a shell'
complete -c kubectl-nettest -n "__fish_kubectl_nettest_needs_command" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c kubectl-nettest -n "__fish_kubectl_nettest_using_subcommand run" -s f -l filename -d 'File with one or more NetTests (YAML or JSON); `-` reads standard input. May be given several times' -r -F
complete -c kubectl-nettest -n "__fish_kubectl_nettest_using_subcommand run" -s o -l output -d 'What to print when a test has ended' -r -f -a "table\t'A table of results, the thresholds, the verdict; with --local before them each repeat\'s rows (of long tests only the totals)'
wide\t'As table, with more columns; with --local every row of long tests too'
yaml\t'The NetTests with their status'
json\t''"
complete -c kubectl-nettest -n "__fish_kubectl_nettest_using_subcommand run" -l report -d 'Write a report to this file, by the end of its name: .html, .md, .xml (JUnit), .csv; .json and .yaml: the NetTests with their status. Its directory must exist' -r -F
complete -c kubectl-nettest -n "__fish_kubectl_nettest_using_subcommand run" -l engine -d 'The measuring program; else the one beside this program, else from PATH' -r -F
complete -c kubectl-nettest -n "__fish_kubectl_nettest_using_subcommand run" -l timeout -d 'Stop waiting for a test after this time, e.g. 90s or 1h. The test itself goes on in the cluster' -r
complete -c kubectl-nettest -n "__fish_kubectl_nettest_using_subcommand run" -s n -l namespace -d 'Namespace; else the context\'s. For run: of tests that name none' -r
complete -c kubectl-nettest -n "__fish_kubectl_nettest_using_subcommand run" -l context -d 'Context of the kubeconfig' -r
complete -c kubectl-nettest -n "__fish_kubectl_nettest_using_subcommand run" -l kubeconfig -d 'The kubeconfig; else $KUBECONFIG, else ~/.kube/config' -r -F
complete -c kubectl-nettest -n "__fish_kubectl_nettest_using_subcommand run" -l local -d 'Run on this machine, without a cluster: client and server on the loopback address, or with topology.type External the client alone'
complete -c kubectl-nettest -n "__fish_kubectl_nettest_using_subcommand run" -s q -l quiet -l no-progress -d 'No progress on standard error'
complete -c kubectl-nettest -n "__fish_kubectl_nettest_using_subcommand run" -l watch -d 'In a cluster: the rows of each interval as they are measured, on standard error'
complete -c kubectl-nettest -n "__fish_kubectl_nettest_using_subcommand run" -l force-conflicts -d 'Take over fields that another tool set, such as `kubectl apply`'
complete -c kubectl-nettest -n "__fish_kubectl_nettest_using_subcommand run" -l no-color -d 'No colours, whatever the terminal; so does the variable NO_COLOR'
complete -c kubectl-nettest -n "__fish_kubectl_nettest_using_subcommand run" -s A -l all-namespaces -d 'Look for the name in all namespaces; with cleanup --all: those of all namespaces'
complete -c kubectl-nettest -n "__fish_kubectl_nettest_using_subcommand run" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kubectl-nettest -n "__fish_kubectl_nettest_using_subcommand watch" -l timeout -d 'Stop watching after this time, e.g. 90s or 1h. The run itself goes on' -r
complete -c kubectl-nettest -n "__fish_kubectl_nettest_using_subcommand watch" -s o -l output -d 'What to print at the end; the rows go to standard error where it is yaml or json' -r -f -a "table\t'A table of results, the thresholds, the verdict; with --local before them each repeat\'s rows (of long tests only the totals)'
wide\t'As table, with more columns; with --local every row of long tests too'
yaml\t'The NetTests with their status'
json\t''"
complete -c kubectl-nettest -n "__fish_kubectl_nettest_using_subcommand watch" -s n -l namespace -d 'Namespace; else the context\'s. For run: of tests that name none' -r
complete -c kubectl-nettest -n "__fish_kubectl_nettest_using_subcommand watch" -l context -d 'Context of the kubeconfig' -r
complete -c kubectl-nettest -n "__fish_kubectl_nettest_using_subcommand watch" -l kubeconfig -d 'The kubeconfig; else $KUBECONFIG, else ~/.kube/config' -r -F
complete -c kubectl-nettest -n "__fish_kubectl_nettest_using_subcommand watch" -s q -l quiet -l no-progress -d 'No progress on standard error'
complete -c kubectl-nettest -n "__fish_kubectl_nettest_using_subcommand watch" -l no-color -d 'No colours, whatever the terminal; so does the variable NO_COLOR'
complete -c kubectl-nettest -n "__fish_kubectl_nettest_using_subcommand watch" -s A -l all-namespaces -d 'Look for the name in all namespaces; with cleanup --all: those of all namespaces'
complete -c kubectl-nettest -n "__fish_kubectl_nettest_using_subcommand watch" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kubectl-nettest -n "__fish_kubectl_nettest_using_subcommand report" -s o -l output -d 'Form of the report; else what the end of the name of --out says; without --out Markdown' -r -f -a "html\t'One file with everything in it, to look at or to print'
md\t'Markdown'
json\t'The run, its pairs, and the documents of what was measured'
junit\t'For CI: a testcase a threshold'
csv\t'A row a pair, variant and direction'"
complete -c kubectl-nettest -n "__fish_kubectl_nettest_using_subcommand report" -l out -d 'Write it to this file; else to standard output' -r -F
complete -c kubectl-nettest -n "__fish_kubectl_nettest_using_subcommand report" -s n -l namespace -d 'Namespace; else the context\'s. For run: of tests that name none' -r
complete -c kubectl-nettest -n "__fish_kubectl_nettest_using_subcommand report" -l context -d 'Context of the kubeconfig' -r
complete -c kubectl-nettest -n "__fish_kubectl_nettest_using_subcommand report" -l kubeconfig -d 'The kubeconfig; else $KUBECONFIG, else ~/.kube/config' -r -F
complete -c kubectl-nettest -n "__fish_kubectl_nettest_using_subcommand report" -s q -l quiet -l no-progress -d 'No progress on standard error'
complete -c kubectl-nettest -n "__fish_kubectl_nettest_using_subcommand report" -l no-color -d 'No colours, whatever the terminal; so does the variable NO_COLOR'
complete -c kubectl-nettest -n "__fish_kubectl_nettest_using_subcommand report" -s A -l all-namespaces -d 'Look for the name in all namespaces; with cleanup --all: those of all namespaces'
complete -c kubectl-nettest -n "__fish_kubectl_nettest_using_subcommand report" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kubectl-nettest -n "__fish_kubectl_nettest_using_subcommand compare" -s o -l output -d 'What to print' -r -f -a "table\t''
yaml\t''
json\t''"
complete -c kubectl-nettest -n "__fish_kubectl_nettest_using_subcommand compare" -s n -l namespace -d 'Namespace; else the context\'s. For run: of tests that name none' -r
complete -c kubectl-nettest -n "__fish_kubectl_nettest_using_subcommand compare" -l context -d 'Context of the kubeconfig' -r
complete -c kubectl-nettest -n "__fish_kubectl_nettest_using_subcommand compare" -l kubeconfig -d 'The kubeconfig; else $KUBECONFIG, else ~/.kube/config' -r -F
complete -c kubectl-nettest -n "__fish_kubectl_nettest_using_subcommand compare" -l no-color -d 'No colours, whatever the terminal; so does the variable NO_COLOR'
complete -c kubectl-nettest -n "__fish_kubectl_nettest_using_subcommand compare" -s A -l all-namespaces -d 'Look for the name in all namespaces; with cleanup --all: those of all namespaces'
complete -c kubectl-nettest -n "__fish_kubectl_nettest_using_subcommand compare" -s h -l help -d 'Print help'
complete -c kubectl-nettest -n "__fish_kubectl_nettest_using_subcommand matrix" -l variant -d 'Only this variant of a sweep' -r
complete -c kubectl-nettest -n "__fish_kubectl_nettest_using_subcommand matrix" -s o -l output -d 'What to print' -r -f -a "table\t''
yaml\t''
json\t''"
complete -c kubectl-nettest -n "__fish_kubectl_nettest_using_subcommand matrix" -s n -l namespace -d 'Namespace; else the context\'s. For run: of tests that name none' -r
complete -c kubectl-nettest -n "__fish_kubectl_nettest_using_subcommand matrix" -l context -d 'Context of the kubeconfig' -r
complete -c kubectl-nettest -n "__fish_kubectl_nettest_using_subcommand matrix" -l kubeconfig -d 'The kubeconfig; else $KUBECONFIG, else ~/.kube/config' -r -F
complete -c kubectl-nettest -n "__fish_kubectl_nettest_using_subcommand matrix" -l zones -d 'Zones in place of nodes: the median of their pairs'
complete -c kubectl-nettest -n "__fish_kubectl_nettest_using_subcommand matrix" -l no-color -d 'No colours, whatever the terminal; so does the variable NO_COLOR'
complete -c kubectl-nettest -n "__fish_kubectl_nettest_using_subcommand matrix" -s A -l all-namespaces -d 'Look for the name in all namespaces; with cleanup --all: those of all namespaces'
complete -c kubectl-nettest -n "__fish_kubectl_nettest_using_subcommand matrix" -s h -l help -d 'Print help'
complete -c kubectl-nettest -n "__fish_kubectl_nettest_using_subcommand history" -s o -l output -d 'What to print' -r -f -a "table\t''
yaml\t''
json\t''"
complete -c kubectl-nettest -n "__fish_kubectl_nettest_using_subcommand history" -s n -l namespace -d 'Namespace; else the context\'s. For run: of tests that name none' -r
complete -c kubectl-nettest -n "__fish_kubectl_nettest_using_subcommand history" -l context -d 'Context of the kubeconfig' -r
complete -c kubectl-nettest -n "__fish_kubectl_nettest_using_subcommand history" -l kubeconfig -d 'The kubeconfig; else $KUBECONFIG, else ~/.kube/config' -r -F
complete -c kubectl-nettest -n "__fish_kubectl_nettest_using_subcommand history" -l no-color -d 'No colours, whatever the terminal; so does the variable NO_COLOR'
complete -c kubectl-nettest -n "__fish_kubectl_nettest_using_subcommand history" -s A -l all-namespaces -d 'Look for the name in all namespaces; with cleanup --all: those of all namespaces'
complete -c kubectl-nettest -n "__fish_kubectl_nettest_using_subcommand history" -s h -l help -d 'Print help'
complete -c kubectl-nettest -n "__fish_kubectl_nettest_using_subcommand why" -s o -l output -d 'What to print' -r -f -a "table\t''
yaml\t''
json\t''"
complete -c kubectl-nettest -n "__fish_kubectl_nettest_using_subcommand why" -s n -l namespace -d 'Namespace; else the context\'s. For run: of tests that name none' -r
complete -c kubectl-nettest -n "__fish_kubectl_nettest_using_subcommand why" -l context -d 'Context of the kubeconfig' -r
complete -c kubectl-nettest -n "__fish_kubectl_nettest_using_subcommand why" -l kubeconfig -d 'The kubeconfig; else $KUBECONFIG, else ~/.kube/config' -r -F
complete -c kubectl-nettest -n "__fish_kubectl_nettest_using_subcommand why" -l no-color -d 'No colours, whatever the terminal; so does the variable NO_COLOR'
complete -c kubectl-nettest -n "__fish_kubectl_nettest_using_subcommand why" -s A -l all-namespaces -d 'Look for the name in all namespaces; with cleanup --all: those of all namespaces'
complete -c kubectl-nettest -n "__fish_kubectl_nettest_using_subcommand why" -s h -l help -d 'Print help'
complete -c kubectl-nettest -n "__fish_kubectl_nettest_using_subcommand cleanup" -s o -l output -d 'What to print' -r -f -a "table\t''
yaml\t''
json\t''"
complete -c kubectl-nettest -n "__fish_kubectl_nettest_using_subcommand cleanup" -s n -l namespace -d 'Namespace; else the context\'s. For run: of tests that name none' -r
complete -c kubectl-nettest -n "__fish_kubectl_nettest_using_subcommand cleanup" -l context -d 'Context of the kubeconfig' -r
complete -c kubectl-nettest -n "__fish_kubectl_nettest_using_subcommand cleanup" -l kubeconfig -d 'The kubeconfig; else $KUBECONFIG, else ~/.kube/config' -r -F
complete -c kubectl-nettest -n "__fish_kubectl_nettest_using_subcommand cleanup" -l all -d 'All finished runs of the namespace'
complete -c kubectl-nettest -n "__fish_kubectl_nettest_using_subcommand cleanup" -l dry-run -d 'Only say what would be deleted'
complete -c kubectl-nettest -n "__fish_kubectl_nettest_using_subcommand cleanup" -s y -l yes -d 'Do not ask'
complete -c kubectl-nettest -n "__fish_kubectl_nettest_using_subcommand cleanup" -s q -l quiet -l no-progress -d 'No progress on standard error'
complete -c kubectl-nettest -n "__fish_kubectl_nettest_using_subcommand cleanup" -l no-color -d 'No colours, whatever the terminal; so does the variable NO_COLOR'
complete -c kubectl-nettest -n "__fish_kubectl_nettest_using_subcommand cleanup" -s A -l all-namespaces -d 'Look for the name in all namespaces; with cleanup --all: those of all namespaces'
complete -c kubectl-nettest -n "__fish_kubectl_nettest_using_subcommand cleanup" -s h -l help -d 'Print help'
complete -c kubectl-nettest -n "__fish_kubectl_nettest_using_subcommand completion" -s n -l namespace -d 'Namespace; else the context\'s. For run: of tests that name none' -r
complete -c kubectl-nettest -n "__fish_kubectl_nettest_using_subcommand completion" -l context -d 'Context of the kubeconfig' -r
complete -c kubectl-nettest -n "__fish_kubectl_nettest_using_subcommand completion" -l kubeconfig -d 'The kubeconfig; else $KUBECONFIG, else ~/.kube/config' -r -F
complete -c kubectl-nettest -n "__fish_kubectl_nettest_using_subcommand completion" -l no-color -d 'No colours, whatever the terminal; so does the variable NO_COLOR'
complete -c kubectl-nettest -n "__fish_kubectl_nettest_using_subcommand completion" -s A -l all-namespaces -d 'Look for the name in all namespaces; with cleanup --all: those of all namespaces'
complete -c kubectl-nettest -n "__fish_kubectl_nettest_using_subcommand completion" -s h -l help -d 'Print help'
complete -c kubectl-nettest -n "__fish_kubectl_nettest_using_subcommand help; and not __fish_seen_subcommand_from run watch report compare matrix history why cleanup completion help" -f -a "run" -d 'Run the NetTests of a file and show what they measured'
complete -c kubectl-nettest -n "__fish_kubectl_nettest_using_subcommand help; and not __fish_seen_subcommand_from run watch report compare matrix history why cleanup completion help" -f -a "watch" -d 'Follow a run that is going: its rows, its pairs, and the result at its end'
complete -c kubectl-nettest -n "__fish_kubectl_nettest_using_subcommand help; and not __fish_seen_subcommand_from run watch report compare matrix history why cleanup completion help" -f -a "report" -d 'Write a report of the latest run that has ended'
complete -c kubectl-nettest -n "__fish_kubectl_nettest_using_subcommand help; and not __fish_seen_subcommand_from run watch report compare matrix history why cleanup completion help" -f -a "compare" -d 'Two runs side by side: what changed, and whether it is more than noise'
complete -c kubectl-nettest -n "__fish_kubectl_nettest_using_subcommand help; and not __fish_seen_subcommand_from run watch report compare matrix history why cleanup completion help" -f -a "matrix" -d 'A mesh as a table: from each node to each'
complete -c kubectl-nettest -n "__fish_kubectl_nettest_using_subcommand help; and not __fish_seen_subcommand_from run watch report compare matrix history why cleanup completion help" -f -a "history" -d 'The runs of a test'
complete -c kubectl-nettest -n "__fish_kubectl_nettest_using_subcommand help; and not __fish_seen_subcommand_from run watch report compare matrix history why cleanup completion help" -f -a "why" -d 'Why a run ended as it did, or what it waits for'
complete -c kubectl-nettest -n "__fish_kubectl_nettest_using_subcommand help; and not __fish_seen_subcommand_from run watch report compare matrix history why cleanup completion help" -f -a "cleanup" -d 'Delete finished runs, and with them their pods and ConfigMaps'
complete -c kubectl-nettest -n "__fish_kubectl_nettest_using_subcommand help; and not __fish_seen_subcommand_from run watch report compare matrix history why cleanup completion help" -f -a "completion" -d 'Completions of this command line for a shell'
complete -c kubectl-nettest -n "__fish_kubectl_nettest_using_subcommand help; and not __fish_seen_subcommand_from run watch report compare matrix history why cleanup completion help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
