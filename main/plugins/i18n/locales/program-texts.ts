// The texts the program itself speaks, by code. Every language has all of them.
import type { BaseErrorCode, FieldErrorCode } from '#shared/errors.ts'

/** Words that screens and scripts share. */
export const messageKeys = [
  'save',
  'cancel',
  'delete',
  'restore',
  'edit',
  'create',
  'search',
  'filter',
  'sort',
  'group',
  'export',
  'import',
  'undo',
  'close',
  'yes',
  'no',
  'all',
  'none',
  'empty',
  'loading',
] as const

/** The texts of one language. */
export interface ProgramTexts {
  readonly messages: Readonly<Record<(typeof messageKeys)[number], string>>
  /** One sentence per code of a field error (D-22). */
  readonly validationMessages: Readonly<Record<FieldErrorCode, string>>
  /** One sentence per code of an error (D-23). */
  readonly errors: Readonly<Record<BaseErrorCode, string>>
}
