// One call that makes many documents travels as few envelopes: an import of thousands of records costs its receivers, and a
// relay that counts envelopes, a small part of what each document alone would. Knows no database.
import { laterHlc } from '#main/replication/core/hlc.ts'
import { targetOf } from '../refusals/refusal-doc.ts'
import type { GenesisDoc } from './genesis-body.ts'
import { fitsBehind, packBytes, packGenesis } from './genesis-body.ts'
import type { DraftBody } from './own-log.ts'

/** A draft, and whether its document begins with it. */
export interface WrittenDraft extends DraftBody {
  readonly isNew: boolean
}

/** Fewer documents in a row travel one by one: compressing them costs more than it saves. */
const packFrom = 4
/** Documents of one envelope, so that applying it holds the receiver for some 60 ms at most. */
const mostDocs = 256

/**
 * Puts new records and long texts that follow each other into envelopes together, in their order: stamps go on rising with
 * numbers. All else stays as it is.
 */
export function packNew(written: readonly WrittenDraft[]): DraftBody[] {
  const drafts: DraftBody[] = []
  let run: WrittenDraft[] = []
  let bytes = 0
  const close = (): void => {
    drafts.push(...(run.length < packFrom ? run.map(plain) : [packed(run)]))
    run = []
    bytes = 0
  }
  for (const draft of written) {
    if (!isPackable(draft)) {
      close()
      drafts.push(plain(draft))
      continue
    }
    const last = run.at(-1)?.doc
    const isFull = run.length >= mostDocs && targetOf(last!) !== targetOf(draft.doc)
    if (last !== undefined && (isFull || !fitsBehind(last, bytes, { ...draft, name: draft.doc }))) close()
    run.push(draft)
    bytes += draft.update.length
  }
  close()
  return drafts
}

/** A document that begins has replaced nothing, which is what its envelope says without a fact of it. */
function isPackable({ doc, isNew, update }: WrittenDraft): boolean {
  return isNew && /^[rt]\//.test(doc) && update.length <= packBytes
}

function packed(run: readonly WrittenDraft[]): DraftBody {
  const first = run[0]!
  const docs = run.map(({ doc, author, update }): GenesisDoc => ({ name: doc, author, update }))
  const hlc = run.reduce((latest, draft) => laterHlc(latest, draft.hlc), first.hlc)
  return { ...plain(first), kind: 'genesis', hlc, update: packGenesis(docs), facts: [] }
}

function plain({ isNew: _, ...draft }: WrittenDraft): DraftBody {
  return draft
}
