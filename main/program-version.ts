// The version of the program and the folder it lies in. Knows no plugin, so that a program without a host has them too.
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'

/** The folder of the nearest package.json above: beside main/ in the sources, two folders up in a bundle. */
export const programDir: string = findProgram()

/** The program's version. */
export const programVersion: string = (
  JSON.parse(readFileSync(path.join(programDir, 'package.json'), 'utf8')) as { version: string }
).version

function findProgram(): string {
  for (let folder = import.meta.dirname; folder !== path.dirname(folder); folder = path.dirname(folder)) {
    if (existsSync(path.join(folder, 'package.json'))) return folder
  }
  throw new Error('The package.json of the program is missing.')
}
