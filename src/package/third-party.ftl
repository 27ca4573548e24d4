Third-party notice of Tower Executor

Tower Executor ships the libraries below, unchanged, as jars in lib/lib. The text of each licence is in licenses/;
copyright notices and NOTICE files are in the jars. sbom/application.cdx.json lists the same libraries with checksums.

<#list dependencyMap?sort_by(["key", "artifactId"]) as entry>
<#assign library = entry.key>
${library.artifactId} ${library.version}
    ${library.groupId}, ${library.url!"no address given"}
    licence: ${entry.value?join(" or ")}
</#list>

Some jars contain parts of other projects:

tower: lit, lit-html, lit-element and reactive-element, in the scripts of the console, copyright 2017 Google LLC;
    licence: BSD-3-Clause
jackson-core: FastDoubleParser, copyright 2023 Werner Randelshofer, and Schubfach, copyright 2018-2020 Raffaello
    Giulietti; licence: MIT; texts in the jar
nimbus-jose-jwt: Gson, copyright 2008 Google Inc., and JCIP annotations; licence: Apache-2.0
opentelemetry-context: weak-lock-free; licence: Apache-2.0
opentelemetry-sdk-trace: JCTools; licence: Apache-2.0
postgresql: SCRAM and StringPrep, copyright 2017 and later OnGres, Inc.; licence: BSD-2-Clause; texts in the jar
prometheus-metrics-exposition-formats: Protocol Buffers, copyright 2008 Google Inc.; licence: BSD-3-Clause
spring-core: ASM, copyright 2000-2011 INRIA, France Telecom; licence: BSD-3-Clause; CGLIB, JavaPoet and Objenesis;
    licence: Apache-2.0; texts in the jar
sqlite-jdbc: SQLite, public domain; parts copyright 2006 David Crawshaw; licence: BSD-2-Clause; text in the jar
