# Builds the release from the sources and puts the content of its tarball into an image that runs as user 10001.
# The base images are pinned by tag and by the digest of their index, which covers every architecture; Renovate updates
# both. To look one up: docker buildx imagetools inspect eclipse-temurin:25-jre-noble

FROM eclipse-temurin:25-jdk-noble@sha256:589ff4cc3f71aab462e7048a47a0d10edf57fbccde3fceea2281e610bf5880b4 AS build
# Without unzip the Maven wrapper downloads another archive of Maven than the one whose checksum it knows.
RUN apt-get update \
    && apt-get install --yes --no-install-recommends unzip \
    && rm -rf /var/lib/apt/lists/*
WORKDIR /build
COPY .mvn .mvn
COPY mvnw pom.xml LICENSE README.md CHANGELOG.md CONTRIBUTING.md ./
COPY bin bin
COPY config config
COPY docs docs
COPY helm helm
COPY intents intents
COPY observe observe
COPY src src
# Libraries are kept between builds.
RUN --mount=type=cache,target=/maven \
    MAVEN_USER_HOME=/maven ./mvnw --batch-mode --no-transfer-progress -Dmaven.repo.local=/maven/repository -Dmaven.test.skip=true package \
    && mkdir /release \
    && tar -xzf target/tower-executor-*.tar.gz -C /release --strip-components=1

FROM eclipse-temurin:25-jre-noble@sha256:d9a39a23634650173f1e2bbc176227af9728587ecf0f4b62d53e9355cd7a19ab
# curl is for `helm test`; tini reaps orphaned processes of steps. The home is empty, because serve creates a home only in an empty directory.
RUN apt-get update \
    && apt-get install --yes --no-install-recommends curl tini \
    && rm -rf /var/lib/apt/lists/* \
    && groupadd --gid 10001 tower \
    && useradd --uid 10001 --gid 10001 --home-dir /var/lib/tower-executor --no-create-home --shell /usr/sbin/nologin tower \
    && install -d -o tower -g tower -m 0700 /var/lib/tower-executor
COPY --from=build /release /opt/tower-executor
RUN ln -s /opt/tower-executor/bin/tower /usr/local/bin/tower

# A container starts rarely, and training a start-up cache would take memory from the service (ADR 25).
ENV TOWER_HOME=/var/lib/tower-executor \
    SERVER_ADDRESS=0.0.0.0 \
    TOWER_AOT=off
USER 10001:10001
WORKDIR /var/lib/tower-executor
VOLUME /var/lib/tower-executor
EXPOSE 8080
STOPSIGNAL SIGTERM
ENTRYPOINT ["/usr/bin/tini", "-s", "--", "/opt/tower-executor/bin/tower"]
CMD ["serve"]
