export const template = name => `export default '${name}';\n`;
