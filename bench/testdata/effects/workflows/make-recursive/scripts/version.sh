#!/bin/sh
cat VERSION
