#!/bin/sh
echo "release $RELEASE"
