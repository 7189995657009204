// The version of the program, read where the program lies. Knows no plugin, so that a program without a host has it too.
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'

/** The program's version. */
export const programVersion: string = readVersion()

/** Reads the nearest package.json above: beside main/ in the sources, two folders up in a bundle. */
function readVersion(): string {
  for (let folder = import.meta.dirname; folder !== path.dirname(folder); folder = path.dirname(folder)) {
    const file = path.join(folder, 'package.json')
    if (existsSync(file)) return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version
  }
  throw new Error('The package.json of the program is missing.')
}
