// What a start finds: whether the chain ends where it ended, and what is said when it does not.
import type { Reads, Tx, Write } from '#main/kernel/database.ts'
import type { Logger } from '#main/kernel/logger.ts'
import type { RestoreNote } from '#main/kernel/restore-note.ts'
import type { AuditDraft, AuditSubject } from '../api.ts'
import { readHash, readHead } from '../store.ts'
import type { Anchor } from './anchor.ts'
import type { Head } from './entry.ts'
import { genesis } from './entry.ts'

/** The end to go on from, and the entry that says what was found; null when everything is as it was. */
export interface Opening {
  readonly head: Head
  readonly draft: AuditDraft | null
}

/**
 * Compares the table with the anchor. An end that is missing is a gap in the numbers for ever, unless a restore explains it:
 * that is an entry of its own.
 */
export function openingOf(read: Pick<Reads, 'get'>, anchor: Anchor, note: RestoreNote | undefined): Opening {
  const last = readHead(read)
  const kept = anchor.read()
  const isFresh = kept === 'absent' && last.seq === 0
  if (isFresh) return { head: genesis, draft: { kind: 'audit.started' } }
  const isSound = typeof kept === 'object' && readHash(read, kept.seq) === kept.hash
  if (note !== undefined) return { head: last, draft: restored(note, kept) }
  if (isSound) return { head: last, draft: null }
  if (typeof kept !== 'object') return { head: last, draft: { kind: 'audit.anchor_lost', outcome: 'failed' } }
  const details = { expected: kept.seq, found: last.seq }
  return { head: kept.seq > last.seq ? kept : last, draft: { kind: 'audit.gap', outcome: 'failed', details } }
}

/** Writes what was found, once the chain goes on from there. */
export async function writeOpening(
  { draft, head }: Opening,
  parts: {
    write: Write
    record: (tx: Tx, subject: AuditSubject, draft: AuditDraft) => void
    anchor: Anchor
    note: RestoreNote | undefined
    subject: AuditSubject
    log: Logger
  },
): Promise<void> {
  if (draft === null) return
  if (draft.outcome === 'failed')
    parts.log.error({ kind: draft.kind, ...draft.details }, 'The audit does not end where it ended.')
  const actor = draft.kind === 'backup.restored' ? parts.note?.actor : undefined
  const subject = actor == null ? parts.subject : { ...parts.subject, actor }
  parts.anchor.reset(head)
  await parts.write('audit.opening', (tx) => parts.record(tx, subject, draft))
}

function restored(note: RestoreNote, kept: Head | 'absent' | 'invalid'): AuditDraft {
  return {
    kind: 'backup.restored',
    details: {
      backup: note.backup,
      restoredAt: note.at,
      offline: note.actor === null,
      ...(typeof kept === 'object' ? { endedAt: kept.seq } : {}),
    },
  }
}
