#include <stdio.h>
#include <stdlib.h>
int add(int, int);
int main(int argc, char **argv) {
	if (argc < 3) return 1;
	printf("%d\n", add(atoi(argv[1]), atoi(argv[2])));
	return 0;
}
