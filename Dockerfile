# lineal without Spark, for CI and for a look at a folder:
#   docker build -t lineal .
#   docker run --rm -v "$PWD:/work:ro" lineal lineage .
FROM python:3.12-slim AS build
WORKDIR /source
COPY pyproject.toml README.md LICENSE CHANGELOG.md constraints.txt ./
COPY src src
COPY examples examples
RUN python -m venv /opt/lineal \
    && /opt/lineal/bin/pip install --no-cache-dir --disable-pip-version-check --constraint constraints.txt .

FROM python:3.12-slim
COPY --from=build /opt/lineal /opt/lineal
RUN useradd --create-home --uid 10001 lineal
USER lineal
WORKDIR /work
ENV PATH=/opt/lineal/bin:$PATH LINEAL_CACHE=/home/lineal/.cache/lineal
ENTRYPOINT ["lineal"]
CMD ["--help"]
