# One image with the three programs: air-gapped sites mirror one image.
#
#   docker build -t nettest .
#
# A build without a network replaces the first stage by a folder that holds its /out (the tests do so):
#
#   buildah bud --build-context builder=FOLDER .

FROM rust:1.95-bookworm AS builder
WORKDIR /source
COPY . .
# crt-static: the image has no loader. With --target the flag does not reach procedural macros, which must stay dynamic.
ENV RUSTFLAGS="-C target-feature=+crt-static"
RUN host=$(rustc -vV | sed -n 's/^host: //p') \
 && cargo build --release --locked --target "$host" --package nettest-engine --package nettest-operator --package kubectl-nettest \
 && mkdir /out \
 && cd "target/$host/release" \
 && cp nettest-engine nettest-operator kubectl-nettest /out/

FROM scratch
ARG VERSION=dev
ARG REVISION=unknown
LABEL org.opencontainers.image.title="nettest" \
      org.opencontainers.image.description="A Kubernetes operator that measures the network, with an iperf3-compatible engine" \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}"
COPY --from=builder /out/ /
# A number, so that runAsNonRoot can be checked without /etc/passwd.
USER 65532:65532
ENTRYPOINT ["/nettest-operator"]
CMD ["run"]
