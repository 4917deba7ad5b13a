package makefile

import (
	"testing"

	"github.com/ambit-dev/ambit/predict/internal/workspace"
)

func BenchmarkPlan(b *testing.B) {
	dir := write(b, `CC := gcc
SRC := $(wildcard src/*.c)
OBJ := $(patsubst src/%.c,obj/%.o,$(SRC))
VERSION := $(shell git describe --tags)
ifeq ($(shell uname),Darwin)
LIBS += -framework x
endif
.PHONY: all clean test
all: app
app: $(OBJ)
	$(CC) -o $@ $^ $(LIBS)
obj/%.o: src/%.c | obj
	$(CC) -DV=\"$(VERSION)\" -c -o $@ $<
obj:
	mkdir -p $@
test: all
	./app --self-test
clean:
	rm -rf obj app
-- src/a.c --
-- src/b.c --
-- src/c.c --
`)
	b.ReportAllocs()
	for b.Loop() {
		Plan(workspace.New("", workspace.Limits{}), dir, Args{Targets: []string{"test"}, System: "Linux", Machine: "x86_64"})
	}
}
