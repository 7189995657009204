// Whether tests take as long as they like. A file that knows this alone is the same at a commit and in a long run.

/** Whether this run takes the sizes of a release (`CAIRN_LONG=release`): hours. */
export const isRelease = process.env['CAIRN_LONG'] === 'release'
