# syntax=docker/dockerfile:1
# The image holds both programs, exactly the files that they load or read, and nothing that anybody could run beside them: no shell, no
# package manager, none of libvips' modules but the one for AVIF and HEIC. docs/operations.md says how to run it; `make image` proves it.
ARG SWIFT_IMAGE=swift:6.3-bookworm

FROM ${SWIFT_IMAGE} AS build
WORKDIR /source
COPY .ci/setup .ci/setup
RUN .ci/setup build
COPY Package.swift ./
COPY Sources Sources
COPY Tests Tests
RUN swift build -c release --static-swift-stdlib --product avatar-server \
 && swift build -c release --static-swift-stdlib --product avatar-worker
COPY .ci/image-root .ci/image-root
RUN .ci/image-root .build/release /image && mkdir -p /volume/avatar-server

FROM scratch
COPY --from=build /image/ /
COPY --from=build --chown=65532:65532 /volume/ /var/cache/
LABEL org.opencontainers.image.title="avatar-server" \
      org.opencontainers.image.description="Fetches, normalizes, caches and serves chat avatars for notifications"
ENV PATH=/usr/local/bin \
    AVATAR_CACHE_DIRECTORY=/var/cache/avatar-server
USER 65532:65532
WORKDIR /
VOLUME /var/cache/avatar-server
EXPOSE 8080 8081
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=5s --start-period=10s CMD ["avatar-server", "health"]
ENTRYPOINT ["avatar-server"]
CMD ["serve"]
