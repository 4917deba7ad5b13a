#!/bin/sh
sh steps/lint.sh | sort | uniq -c
