// What commands over the running program share: their exit codes, and input from a file or from what is piped in.
import { readFileSync } from 'node:fs'
import { locateDataDir } from '#main/data-dir.ts'
import { CommandFailed } from './host-client.ts'

/** The command line does not say what a command needs. */
export class WrongUsage extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'WrongUsage'
  }
}

/** Options every command takes: the data folder of the program it speaks to, and the way to its usage. */
export const commonOptions = { data: { type: 'string' }, help: { type: 'boolean', short: 'h' } } as const

/** A command line as it was read. */
interface Given {
  readonly values: { readonly data?: string | undefined; readonly help?: boolean | undefined }
}

/**
 * Runs a command and says what went wrong: 0 done, 1 refused or failed, 2 a command line that cannot be followed. Who asks
 * for help gets the usage instead.
 * @param read reads the command line
 * @param run is given what was read and the data folder
 */
export async function exitCodeOf<T extends Given>(
  usage: string,
  read: () => T,
  run: (given: T, dataDir: string) => Promise<number>,
): Promise<number> {
  try {
    const given = read()
    if (given.values.help === true) {
      process.stdout.write(usage)
      return 0
    }
    return await run(given, locateDataDir(given.values.data))
  } catch (error) {
    if (error instanceof CommandFailed) {
      process.stderr.write(`${error.message}\n`)
      return 1
    }
    if (error instanceof WrongUsage || isArgumentError(error)) {
      process.stderr.write(`${(error as Error).message}\n\n${usage}`)
      return 2
    }
    throw error
  }
}

/** The bytes of a file, or of what is piped in for `-` and for no name. @throws CommandFailed, WrongUsage */
export function readInput(file: string | undefined): Buffer {
  if (file === undefined && process.stdin.isTTY) throw new WrongUsage('Name a file, or pipe the values in.')
  try {
    return readFileSync(file === undefined || file === '-' ? 0 : file)
  } catch (error) {
    throw new CommandFailed(`${file ?? 'The input'} cannot be read: ${(error as Error).message}`)
  }
}

/** JSON objects of a text: one, a list of them, or one a line. @throws CommandFailed */
export function readObjects(text: string): Record<string, unknown>[] {
  const whole = parse(text)
  if (whole !== undefined) return (Array.isArray(whole) ? whole : [whole]).map((one, at) => objectOf(one, at))
  const lines = text.split(/\r?\n/).filter((line) => line.trim() !== '')
  return lines.map((line, at) => objectOf(parse(line), at))
}

/** JSON of an option. @throws WrongUsage */
export function jsonOption(name: string, text: string | undefined): unknown {
  if (text === undefined) return undefined
  const value = parse(text)
  if (value === undefined) throw new WrongUsage(`--${name} is no JSON: ${text.slice(0, 200)}`)
  return value
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // The caller says what was expected.
    return undefined
  }
}

function objectOf(value: unknown, at: number): Record<string, unknown> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>
  throw new CommandFailed(`The value ${at + 1} of the input is no JSON object. Nothing was sent.`)
}

function isArgumentError(error: unknown): boolean {
  return String((error as { code?: unknown }).code).startsWith('ERR_PARSE_ARGS')
}
