// Owns writing a comment, a note, a task or a reply. What is typed stays until it is stored, also while another part of the
// record is looked at.
import { Button } from '@mantine/core'
import { useId, useRef, useState } from 'react'
import { ChosenFiles, FileDrop, PickButton, UploadList } from '../../components/files/index.ts'
import { Notice } from '../../components/notice.tsx'
import { ShortcutKeys } from '../../components/shortcut-keys.tsx'
import type { FileReference } from '../../lib/file-uploads.ts'
import { problemText } from '../../lib/problem-text.ts'
import { t } from '../../lib/strings.ts'
import { useUploads } from '../../lib/use-uploads.ts'
import type { FeedDraft, FeedWrites } from './feed-queries.ts'
import { MentionArea } from './mention-area.tsx'
import type { MentionDraft } from './mention-area.tsx'
import { encodeMentions } from './mention-text.ts'
import type { Person } from './use-people.ts'
import classes from './activity.module.css'

const kinds = ['comment', 'note', 'task'] as const
const visibilities = ['public', 'internal', 'private'] as const

interface Draft extends MentionDraft {
  /** Files that have arrived and go with it. */
  files: readonly FileReference[]
  kind: (typeof kinds)[number]
  visibility: (typeof visibilities)[number]
  dueDate: string
}

const blank: Draft = { text: '', people: new Map(), kind: 'comment', visibility: 'public', dueDate: '', files: [] }
/** Texts that wait, by what they are written under. */
const waiting = new Map<string, Draft>()

/** The composer; a reply when `parentId` is given. */
export function Composer(props: {
  /** Names the record, so that a text that waits is found again. */
  place: string
  parentId?: string
  people: readonly Person[]
  writes: FeedWrites
  /** Told when something was stored, or when a reply was given up. */
  onDone?: () => void
}) {
  const { parentId, onDone } = props
  const key = `${props.place} ${parentId ?? ''}`
  const id = useId()
  const [draft, setShown] = useState(() => waiting.get(key) ?? blank)
  const [busy, setBusy] = useState(false)
  const [problem, setProblem] = useState<string>()
  const area = useRef<HTMLTextAreaElement>(null)
  /** Files arrive while somebody types. */
  const latest = useRef(draft)
  latest.current = draft

  const setDraft = (next: Draft): void => {
    setShown(next)
    latest.current = next
    if (next.text === '' && next.files.length === 0) waiting.delete(key)
    else waiting.set(key, next)
  }
  const uploads = useUploads((file) => setDraft({ ...latest.current, files: [...latest.current.files, file] }))
  const submit = async (): Promise<void> => {
    if (busy) return
    const text = draft.text.trim()
    if (text === '' && draft.files.length === 0) {
      setProblem(t('activity.write.missing'))
      area.current?.focus()
      return
    }
    setBusy(true)
    setProblem(undefined)
    const body: FeedDraft = {
      // Files may speak for themselves.
      type: text === '' ? 'file' : parentId === undefined ? draft.kind : 'comment',
      ...(text === '' ? {} : { body: encodeMentions(text, draft.people) }),
      visibility: draft.visibility,
      ...(draft.files.length === 0 ? {} : { attachments: draft.files.map(({ fileId }) => fileId) }),
      ...(parentId === undefined ? {} : { parentId }),
      ...(parentId === undefined && draft.kind === 'task' && text !== ''
        ? { data: { done: false, ...(draft.dueDate === '' ? {} : { dueDate: draft.dueDate }) } }
        : {}),
    }
    try {
      await props.writes.add(body)
      // What was typed, and which files came, while this was sent is the next one.
      const now = latest.current
      const next = now.text.startsWith(draft.text) ? now.text.slice(draft.text.length).trimStart() : now.text
      const files = now.files.filter((file) => !draft.files.includes(file))
      // Who may read what is begun stays as it was chosen.
      const isBegun = next !== '' || files.length > 0
      setDraft({ ...(isBegun ? now : { ...blank, kind: now.kind }), text: next, files })
      onDone?.()
      // Who went on elsewhere meanwhile stays there.
      const { activeElement } = document
      const isHere = activeElement === document.body || area.current?.form?.contains(activeElement)
      if (parentId === undefined && isHere) area.current?.focus()
    } catch (error) {
      setProblem(problemText(error))
    } finally {
      setBusy(false)
    }
  }
  const isReply = parentId !== undefined
  const label = t(isReply ? 'activity.write.reply' : `activity.write.${draft.kind}`)
  return (
    <form className={classes.composer} aria-label={label} onSubmit={(event) => event.preventDefault()} noValidate>
      <FileDrop onFiles={uploads.add}>
        <MentionArea
          label={label}
          placeholder={t('activity.write.hint')}
          draft={draft}
          people={props.people}
          area={area}
          invalid={problem !== undefined}
          describedBy={problem === undefined ? undefined : `${id}-problem`}
          autoFocus={isReply}
          onDraft={(next) => {
            setProblem(undefined)
            setDraft({ ...draft, ...next })
          }}
          onSubmit={() => void submit()}
          {...(isReply && onDone ? { onCancel: onDone } : {})}
        />
      </FileDrop>
      <ChosenFiles
        files={draft.files}
        label={t('word.files')}
        onRemove={({ fileId }) => setDraft({ ...draft, files: draft.files.filter((file) => file.fileId !== fileId) })}
      />
      <UploadList uploads={uploads} />
      {problem !== undefined && (
        <div id={`${id}-problem`}>
          <Notice tone="bad" live>
            {problem}
          </Notice>
        </div>
      )}
      <div className={classes.composerEnd}>
        {!isReply && (
          <select
            className={classes.choice}
            aria-label={t('word.kind')}
            value={draft.kind}
            onChange={(event) => setDraft({ ...draft, kind: event.currentTarget.value as Draft['kind'] })}
          >
            {kinds.map((kind) => (
              <option key={kind} value={kind}>
                {t(`activity.type.${kind}`)}
              </option>
            ))}
          </select>
        )}
        <select
          className={classes.choice}
          aria-label={t('activity.visibility')}
          value={draft.visibility}
          onChange={(event) => setDraft({ ...draft, visibility: event.currentTarget.value as Draft['visibility'] })}
        >
          {visibilities.map((visibility) => (
            <option key={visibility} value={visibility}>
              {t(`activity.visibility.${visibility}`)}
            </option>
          ))}
        </select>
        {!isReply && draft.kind === 'task' && (
          <label className={classes.due}>
            {t('activity.due')}
            <input
              type="date"
              className={classes.choice}
              value={draft.dueDate}
              onChange={(event) => setDraft({ ...draft, dueDate: event.currentTarget.value })}
            />
          </label>
        )}
        <PickButton label={t('files.attach')} multiple onFiles={uploads.add} />
        <span className={classes.space} />
        {isReply && (
          <Button size="compact-sm" variant="default" onClick={onDone}>
            {t('app.cancel')}
          </Button>
        )}
        <Button
          size="compact-sm"
          loading={busy}
          onClick={() => void submit()}
          rightSection={
            <span className={classes.keys} aria-hidden>
              <ShortcutKeys shortcut="Mod+Enter" />
            </span>
          }
        >
          {t(isReply ? 'activity.reply' : 'word.add')}
        </Button>
      </div>
    </form>
  )
}
