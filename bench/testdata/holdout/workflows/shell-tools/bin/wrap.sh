#!/bin/bash
export APP_STAGE=test
set -a; . ./settings.sh; set +a
exec "$@"
