// Owns one item of the activity: who, when, what was written or changed, and what can be done with it.
import { ActionIcon, Button, Menu } from '@mantine/core'
import {
  IconDots,
  IconLock,
  IconMessageReply,
  IconPin,
  IconPinFilled,
  IconStar,
  IconStarFilled,
} from '@tabler/icons-react'
import { Suspense, useEffect, useRef, useState } from 'react'
import { ChosenFiles } from '../../components/files/index.ts'
import { useMenu } from '../../components/menu-options.ts'
import { Initials } from '../../components/presence-avatars.tsx'
import { confirmAction } from '../../lib/confirm.ts'
import { lazyPart } from '../../lib/lazy-part.ts'
import { problemText } from '../../lib/problem-text.ts'
import { isStringKey, t } from '../../lib/strings.ts'
import { showProblem } from '../../lib/toast.ts'
import type { FeedItem, FeedWrites } from './feed-queries.ts'
import { FieldChanges } from './field-changes.tsx'
import type { ShowValue } from './field-changes.tsx'
import { MentionArea } from './mention-area.tsx'
import type { MentionDraft } from './mention-area.tsx'
import { decodeMentions, encodeMentions, markMentions } from './mention-text.ts'
import { Moment } from '../../components/moment.tsx'
import { ReactionPicker, Reactions } from './reactions.tsx'
import type { Person } from './use-people.ts'
import classes from './activity.module.css'

const MarkdownView = lazyPart(async () => ({
  default: (await import('../../components/markdown-view.tsx')).MarkdownView,
}))

/** Types people write. */
const written = new Set(['comment', 'task', 'event', 'email', 'call', 'note', 'file'])

/** The item. */
export function FeedEntry(props: {
  item: FeedItem
  ownId: string | undefined
  people: readonly Person[]
  writes: FeedWrites
  show: ShowValue
  /** Whether entries of others may be deleted. */
  moderates: boolean
  /** Opens writing an answer; absent where none can be given. */
  onReply?: () => void
}) {
  const { item, ownId, writes } = props
  const body = bodyOf(item)
  const [editing, setEditing] = useState(false)
  const name = actorName(item)
  const isWritten = written.has(item.type)
  const isOwn = isWritten && item.actor.type === 'user' && item.actor.id === ownId && !item.isDeleted
  const more = useRef<HTMLButtonElement>(null)
  const { options, after } = useMenu(more)
  const wasEditing = useRef(false)
  useEffect(() => {
    // Whoever has moved on meanwhile keeps the focus where it is.
    if (wasEditing.current && !editing && document.activeElement === document.body) more.current?.focus()
    wasEditing.current = editing
  }, [editing])
  const attempt = (work: Promise<unknown>): void => void work.catch(showProblem)

  const remove = async (): Promise<void> => {
    const sure = await confirmAction({
      title: t('activity.delete.title'),
      body: t('activity.delete.question'),
      confirmLabel: t('word.delete'),
    })
    if (sure) await writes.remove(item.id)
  }
  return (
    <article
      className={classes.entry}
      aria-label={t('activity.by', { name, type: typeWord(item) })}
      data-item={item.id}
      tabIndex={-1}
    >
      <Initials name={name} id={item.actor.id} quiet />
      <div className={classes.body}>
        <div className={classes.top}>
          <p className={classes.head}>
            <strong>{name}</strong>
            {!isWritten && <span>{t(`activity.did.${didWord(item)}`)}</span>}
            {isWritten && item.type !== 'comment' && <span className={classes.badge}>{typeWord(item)}</span>}
            {item.visibility !== 'public' && (
              <span className={classes.badge}>
                <IconLock size={12} aria-hidden /> {t(`activity.visibility.${item.visibility}`)}
              </span>
            )}
            <span className={classes.when}>
              <Moment at={item.createdAt} />
              {item.isEdited && <> · {t('activity.edited')}</>}
            </span>
          </p>
          {!item.isDeleted && !editing && (
            <div className={classes.tools} role="group" aria-label={t('activity.tools', { name })}>
              {item.pinned && (
                <IconPinFilled size={14} className={classes.mark} aria-label={t('word.pinned')} role="img" />
              )}
              {item.starred && (
                <IconStarFilled size={14} className={classes.mark} aria-label={t('activity.starred')} role="img" />
              )}
              <ReactionPicker
                onReact={(emoji) => {
                  const known = item.reactions.find((reaction) => reaction.emoji === emoji)
                  attempt(writes.react(item.id, emoji, known?.reacted !== true))
                }}
              />
              {props.onReply && (
                <ActionIcon
                  variant="subtle"
                  color="gray"
                  size={26}
                  c="var(--cairn-text-quiet)"
                  data-reply
                  aria-label={t('activity.reply')}
                  title={t('activity.reply')}
                  onClick={props.onReply}
                >
                  <IconMessageReply size={16} stroke={1.75} />
                </ActionIcon>
              )}
              <Menu position="bottom-end" {...options}>
                <Menu.Target>
                  <ActionIcon
                    ref={more}
                    variant="subtle"
                    color="gray"
                    size={26}
                    c="var(--cairn-text-quiet)"
                    aria-label={t('word.more')}
                    title={t('word.more')}
                  >
                    <IconDots size={16} stroke={1.75} />
                  </ActionIcon>
                </Menu.Target>
                <Menu.Dropdown>
                  <Menu.Item
                    leftSection={
                      item.pinned ? <IconPinFilled size={14} aria-hidden /> : <IconPin size={14} aria-hidden />
                    }
                    onClick={() => attempt(writes.pin(item.id, !item.pinned))}
                  >
                    {t(item.pinned ? 'activity.unpin' : 'activity.pin')}
                  </Menu.Item>
                  <Menu.Item
                    leftSection={
                      item.starred ? <IconStarFilled size={14} aria-hidden /> : <IconStar size={14} aria-hidden />
                    }
                    onClick={() => attempt(writes.star(item.id, !item.starred))}
                  >
                    {t(item.starred ? 'activity.unstar' : 'activity.star')}
                  </Menu.Item>
                  {isOwn && <Menu.Item onClick={after(() => setEditing(true))}>{t('word.edit')}</Menu.Item>}
                  {(isOwn || (isWritten && props.moderates)) && (
                    <Menu.Item onClick={after(() => attempt(remove()))}>{t('word.delete')}</Menu.Item>
                  )}
                </Menu.Dropdown>
              </Menu>
            </div>
          )}
        </div>
        {editing ? (
          <EditItem item={item} people={props.people} writes={writes} onDone={() => setEditing(false)} />
        ) : item.isDeleted ? (
          <p className={classes.none}>{t('activity.deleted')}</p>
        ) : (
          <>
            {item.type === 'task' && (
              <TaskLine
                item={item}
                own={isOwn}
                onDone={(done) => attempt(writes.change(item.id, { data: { ...item.data, done } }))}
              />
            )}
            {body !== '' && (
              <Suspense fallback={<p className={classes.plain}>{body}</p>}>
                <MarkdownView text={markMentions(body, item.mentions)} ownId={ownId} />
              </Suspense>
            )}
            {/* What a record began with is in its history. */}
            {item.type !== 'record_create' && item.changes && item.changes.length > 0 && (
              <FieldChanges changes={item.changes} show={props.show} />
            )}
            {item.attachments.length > 0 && <ChosenFiles files={item.attachments} label={t('word.files')} />}
          </>
        )}
        {!item.isDeleted && (
          <Reactions item={item} onReact={(emoji, on) => attempt(writes.react(item.id, emoji, on))} />
        )}
      </div>
    </article>
  )
}

function EditItem(props: { item: FeedItem; people: readonly Person[]; writes: FeedWrites; onDone: () => void }) {
  const { item, onDone } = props
  const [draft, setDraft] = useState<MentionDraft>(() => decodeMentions(markMentions(item.body ?? '', item.mentions)))
  const [busy, setBusy] = useState(false)
  const [problem, setProblem] = useState<string>()
  const area = useRef<HTMLTextAreaElement>(null)
  const save = async (): Promise<void> => {
    if (busy) return
    setBusy(true)
    try {
      await props.writes.change(item.id, { body: encodeMentions(draft.text.trim(), draft.people) })
      onDone()
    } catch (error) {
      setProblem(problemText(error))
      setBusy(false)
    }
  }
  return (
    <div className={classes.composer}>
      <MentionArea
        label={t('activity.edit.label')}
        draft={draft}
        people={props.people}
        area={area}
        invalid={problem !== undefined}
        autoFocus
        onDraft={setDraft}
        onSubmit={() => void save()}
        onCancel={onDone}
      />
      {problem !== undefined && (
        <p className={classes.problem} role="alert">
          {problem}
        </p>
      )}
      <div className={classes.composerEnd}>
        <span className={classes.space} />
        <Button size="compact-sm" variant="default" onClick={onDone}>
          {t('app.cancel')}
        </Button>
        <Button size="compact-sm" loading={busy} onClick={() => void save()}>
          {t('app.save')}
        </Button>
      </div>
    </div>
  )
}

function TaskLine(props: { item: FeedItem; own: boolean; onDone: (done: boolean) => void }) {
  const { data = {} } = props.item
  const due = data['dueDate']
  return (
    <p className={classes.task}>
      <label>
        <input
          type="checkbox"
          checked={data['done'] === true}
          // Only who wrote it may say that it is done (D-138).
          disabled={!props.own}
          onChange={(event) => props.onDone(event.currentTarget.checked)}
        />{' '}
        {t(data['done'] === true ? 'activity.done' : 'activity.open')}
      </label>
      {typeof due === 'string' && <span className={classes.badge}>{t('activity.dueOn', { day: due })}</span>}
    </p>
  )
}

/** Who did it, as the screens say it. */
export function actorName({ actor }: FeedItem): string {
  return actor.name ?? (actor.type === 'user' ? t('word.somebody') : t('app.name'))
}

function typeWord({ type }: FeedItem): string {
  return t(`activity.type.${type}`)
}

/** What an item says: where the program wrote it, in the reader's language. */
function bodyOf({ body = '', type, data = {} }: FeedItem): string {
  if (data['action'] === 'restore') return t('history.did.restore')
  const key = `approval.status.${String(data['status'])}`
  return type === 'approval' && data['approvalRequestId'] !== undefined && isStringKey(key) ? t(key) : body
}

const didWords = ['field_change', 'record_create', 'record_delete', 'approval', 'sharing'] as const

function didWord({ type }: FeedItem): (typeof didWords)[number] | 'system' {
  return didWords.find((word) => word === type) ?? 'system'
}
