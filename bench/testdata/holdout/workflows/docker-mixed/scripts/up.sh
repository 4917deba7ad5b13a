#!/bin/sh
set -e
tag=$(git rev-parse --short HEAD 2>/dev/null || echo dev)
docker build -q -t "api:$tag" . || true
docker compose -f compose.yaml up -d api || true
docker ps > ps.txt || true
