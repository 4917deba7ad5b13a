const { API_KEY = 'none', HOME } = process.env;
console.log(API_KEY.length, HOME.length);
