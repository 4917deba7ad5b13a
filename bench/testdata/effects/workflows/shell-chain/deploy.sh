#!/bin/sh
set -e
[ -f .env ] && . ./.env
: "${DEPLOY_TOKEN:?set DEPLOY_TOKEN}"
curl -fsS -H "Authorization: $DEPLOY_TOKEN" --data-binary @VERSION "https://$1.example.test/deploy"
