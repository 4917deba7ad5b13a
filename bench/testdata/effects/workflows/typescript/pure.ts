const xs: number[] = [1, 2, 3];
console.log(xs.reduce((a: number, b: number) => a + b));
