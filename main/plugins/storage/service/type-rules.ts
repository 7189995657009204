// Which files each scope takes (D-187).
import type { FileTypeRule, FileTypeRules, StorageScope } from '#shared/contracts/storage.ts'
import { validationError } from '#shared/errors.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import type { Reads, Write } from '#main/kernel/database.ts'
import { storageError } from '../errors.ts'
import { putRules, readRules } from '../store.ts'
import { endingOf } from './file-names.ts'

/** What of a file is known so far. */
export interface JudgedFile {
  readonly name: string
  /** Null while it is not known. */
  readonly mimeType: string | null
  readonly size: number
}

/** The rules of a host. */
export interface TypeRules {
  all(): FileTypeRules
  replace(ctx: RequestContext, rules: FileTypeRules): Promise<FileTypeRules>
  /** @throws file_type_not_allowed, file_too_large, validation_error for one that is too small */
  judge(scope: StorageScope, file: JudgedFile): void
}

/** Reads the rules; they are kept in memory. */
export function createTypeRules({ read, write }: { readonly read: Reads; readonly write: Write }): TypeRules {
  let rules: FileTypeRules | undefined
  const all = (): FileTypeRules =>
    (rules ??= Object.fromEntries(readRules(read).map(({ scope, rule }) => [scope, JSON.parse(rule) as FileTypeRule])))
  return {
    all,
    async replace(ctx, given) {
      const rows = Object.entries(given).flatMap(([scope, rule]) =>
        rule === undefined ? [] : [{ scope, rule: JSON.stringify(rule) }],
      )
      await write('storage.rules', (tx) => {
        putRules(tx, rows)
        tx.emit(ctx, { type: 'storage.rules_changed', payload: { scopes: rows.map(({ scope }) => scope) } })
        tx.afterCommit(() => (rules = undefined))
      })
      return all()
    },
    judge(scope, { name, mimeType, size }) {
      const rule = all()[scope]
      if (rule === undefined) return
      const { maxFileSize, minFileSize } = rule
      if (maxFileSize !== undefined && size > maxFileSize)
        throw storageError('file_too_large', { limitBytes: maxFileSize, scope })
      if (minFileSize !== undefined && size < minFileSize) {
        const message = `Files of the scope "${scope}" have at least ${minFileSize} bytes.`
        throw validationError([
          { field: 'file', code: 'file_too_small', message, value: size, constraint: minFileSize },
        ])
      }
      const ending = endingOf(name)
      const isNamed = rule.extensions?.some((one) => one.replace(/^\./, '').toLowerCase() === ending)
      const isTyped = mimeType === null ? undefined : rule.mimeTypes.some((pattern) => covers(pattern, mimeType))
      const isRefused =
        rule.mode === 'whitelist' ? isTyped === false || isNamed === false : isTyped === true || isNamed === true
      if (isRefused)
        throw storageError('file_type_not_allowed', { scope, mode: rule.mode, mimeType, extension: ending })
    },
  }
}

function covers(pattern: string, mimeType: string): boolean {
  const [type, subtype] = pattern.toLowerCase().split('/')
  const [givenType, givenSubtype] = mimeType.split('/')
  return (type === '*' || type === givenType) && (subtype === '*' || subtype === givenSubtype)
}
