// What generate.sh makes from each contract, as TypeScript that it compiles.
const client = (/** @type {string} */ contract) => ({
  input: `../${contract}.openapi.yaml`,
  output: {path: `${process.env.SOURCES}/${contract}`, importFileExtension: '.js'},
  plugins: [{name: '@hey-api/client-fetch', includeInEntry: true}, '@hey-api/typescript', '@hey-api/sdk'],
  logs: {level: 'warn', file: false},
});

export default [client('directory'), client('hardware')];
