// What the page may say to the shell: each word is checked before anybody acts on it. Pure.
import type { ShellCommand, ShellNotice } from '#shared/ipc.ts'

const mostCommands = 500
const longestText = 300

const isText = (value: unknown): value is string => typeof value === 'string' && value.length <= longestText

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null

/**
 * A count of changes.
 * @throws Error for anything else
 */
export function readCount(given: unknown): number {
  if (!Number.isSafeInteger(given) || (given as number) < 0) throw new Error('This is not a count.')
  return given as number
}

function isCommand(value: unknown): value is ShellCommand {
  if (!isObject(value)) return false
  const { id, label, group, shortcut, enabled } = value
  return (
    isText(id) &&
    /^[\w.:-]+$/.test(id) &&
    isText(label) &&
    (group === 'general' || group === 'navigation' || group === 'records') &&
    (shortcut === undefined || isText(shortcut)) &&
    typeof enabled === 'boolean'
  )
}

/**
 * The commands of the screens.
 * @throws Error for anything else
 */
export function readCommands(given: unknown): readonly ShellCommand[] {
  if (!Array.isArray(given) || given.length > mostCommands || !given.every(isCommand)) {
    throw new Error('These are not commands.')
  }
  return given
}

/**
 * The tag of a language.
 * @throws Error for anything else
 */
export function readLanguage(given: unknown): string {
  if (!isText(given) || !/^[a-zA-Z]{2,8}(-[a-zA-Z0-9]{1,8})*$/.test(given)) throw new Error('This is not a language.')
  return given
}

/**
 * A notice with its two texts.
 * @throws Error for anything else
 */
export function readNotice(given: unknown): ShellNotice {
  if (!isObject(given) || !isText(given['title']) || !isText(given['body'])) throw new Error('This is not a notice.')
  return { title: given['title'], body: given['body'] }
}
