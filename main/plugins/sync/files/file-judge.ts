// Whether what a machine says of a file is its person's to say. Pure.
import type { Answerable, ChangeRefusal, DocChange } from '../apply/change-judge.ts'
import { FILE_KEY, GONE_KEY, saidFile } from './file-entries.ts'

/** Why a change of a file is not merged; undefined: it may be. */
export function fileRefusal(
  { author, speaksForOthers }: Answerable,
  { changedKeys, document, stored }: Pick<DocChange, 'changedKeys' | 'document' | 'stored'>,
): ChangeRefusal | undefined {
  const { file } = saidFile('', document.register)
  // What never changes counts for administrators as well: rights and checksum are those it was uploaded with.
  if (changedKeys.has(FILE_KEY) && stored?.register.has(FILE_KEY) === true)
    return { forbidden: 'What a file is cannot be changed.', code: 'creation' }
  if (speaksForOthers) return undefined
  // Nobody can tell whose it is before it is here: what is said of it would take effect unseen.
  if (file === null) return changedKeys.has(FILE_KEY) || changedKeys.has(GONE_KEY) ? { waits: true } : undefined
  if ((changedKeys.has(FILE_KEY) || changedKeys.has(GONE_KEY)) && file.createdBy !== author)
    return { forbidden: 'This machine may not add or delete files in the name of somebody else.', code: 'name' }
  if (changedKeys.has(FILE_KEY) && (file.scope === 'system' || file.bucket !== 'default'))
    return { forbidden: 'Only the machine of an administrator may add files of the system.', code: 'admin' }
  return undefined
}
