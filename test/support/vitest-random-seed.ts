// Setup of every test file: with CAIRN_RANDOM_SEED set, properties draw the same cases each time. Knows no test.

const seed = process.env['CAIRN_RANDOM_SEED']

if (seed !== undefined) {
  const { configureGlobal } = await import('fast-check')
  configureGlobal({ seed: Number(seed) })
}
