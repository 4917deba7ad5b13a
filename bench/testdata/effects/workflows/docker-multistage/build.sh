#!/bin/sh
set -e
tag=${1:-dev}
docker build --target build -t "demo:$tag" .
docker push "demo:$tag"
