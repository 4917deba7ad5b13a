const { DB_URL } = process.env;
console.log(DB_URL?.length);
