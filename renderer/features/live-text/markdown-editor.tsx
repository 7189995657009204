// Owns the editor of a long text that others may edit at the same time. Loaded when the first one is opened. What is typed
// is stored by itself; leaving is leaving, there is nothing to keep or to cancel.
import { EditorState } from '@codemirror/state'
import { EditorView } from '@codemirror/view'
import { useEffect, useId, useReducer, useRef, useState } from 'react'
import { t } from '../../lib/strings.ts'
import { showToast } from '../../lib/toast.ts'
import { editorExtensions, standingChange } from './editor-extensions.ts'
import type { TextLease, TextPlace } from './live-documents.ts'
import { takeText } from './live-documents.ts'
import type { LiveState } from './live-document.ts'
import { otherEditors } from './remote-cursors.ts'
import classes from './live-text.module.css'
import type { LiveTextProblem } from '#shared/live-text.ts'

/** What an editor is given. */
export interface MarkdownEditorProps {
  readonly place: TextPlace
  /** Type of the field. */
  readonly type: string
  readonly label: string
  readonly placeholder: string | undefined
  readonly maxLength: number
  /** Told once, with the text as it is then: its reader goes elsewhere, with the keyboard or without. */
  onLeave(text: string, byKey: boolean): void
  /** The host does not offer to edit this text live. */
  onUnavailable(): void
}

/** How long a text may take to come. */
const patienceMs = 5_000

/** The editor. */
export function MarkdownEditor(props: MarkdownEditorProps) {
  const { object, recordId, field } = props.place
  const id = useId()
  const [lease, setLease] = useState<TextLease>()
  const [, redraw] = useReducer((count: number) => count + 1, 0)
  const [isFull, setFull] = useState(false)
  const holder = useRef<HTMLDivElement>(null)
  const view = useRef<EditorView>(undefined)
  /** An editor that is made anew takes the focus out for a moment; nobody leaves by that. */
  const isMoving = useRef(false)
  const hadFocus = useRef(true)
  const latest = useRef(props)
  latest.current = props

  useEffect(() => {
    const taken = takeText({ object, recordId, field })
    setLease(taken)
    const stop = taken.listen(redraw)
    return () => {
      stop()
      taken.release()
    }
  }, [object, recordId, field])

  const state = lease?.live.state
  const session = lease?.live.session
  const isReadOnly = state?.isReadOnly === true || state?.phase === 'ended'
  const isInvalid = state?.problem !== undefined
  const latestStanding = useRef({ isReadOnly, isInvalid })
  latestStanding.current = { isReadOnly, isInvalid }
  const { label, type, placeholder, maxLength } = props

  const isOver = state?.phase === 'ended' && !session
  useEffect(() => {
    if (session) return
    // A text that does not come is edited alone.
    const timer = setTimeout(() => latest.current.onUnavailable(), isOver ? 0 : patienceMs)
    return () => clearTimeout(timer)
  }, [session, isOver])

  useEffect(() => {
    if (!session || !holder.current || !lease) return
    const before = view.current
    const at = Math.min(before?.state.selection.main.head ?? session.text.length, session.text.length)
    const editor = new EditorView({
      parent: holder.current,
      state: EditorState.create({
        doc: session.text.toJSON(),
        selection: { anchor: at },
        extensions: editorExtensions({
          session,
          type,
          label,
          describedBy: `${id}-status`,
          placeholder,
          maxLength,
          standing: latestStanding.current,
          onLeave: () => leave(lease, latest.current, true),
          onFull: () => setFull(true),
        }),
      }),
    })
    view.current = editor
    if (hadFocus.current) editor.focus()
    isMoving.current = false
    const people = (): void => redraw()
    session.awareness.on('change', people)
    return () => {
      session.awareness.off('change', people)
      isMoving.current = true
      hadFocus.current = editor.hasFocus
      editor.destroy()
    }
  }, [session, lease, type, label, placeholder, maxLength, id])

  useEffect(() => {
    view.current?.dispatch(standingChange({ isReadOnly, isInvalid }))
  }, [isReadOnly, isInvalid])

  const others = session ? otherEditors(session.awareness).map(({ name }) => name) : []
  const { tone, text } = statusOf(state, isFull)
  return (
    <div
      className={classes.frame}
      onBlur={(event) => {
        const next = event.relatedTarget
        if (!document.hasFocus() || (next instanceof Node && event.currentTarget.contains(next))) return
        if (lease && !isMoving.current) leave(lease, props, false)
      }}
    >
      <div ref={holder} className={classes.editor} data-source={type === 'code' || undefined} />
      <p id={`${id}-status`} className={classes.status} data-tone={tone} role="status">
        <span>{text}</span>
        {others.length > 0 && <span>{t('live.others', { names: others.join(', ') })}</span>}
      </p>
    </div>
  )
}

/** What is typed and not stored goes on by itself; whoever leaves it is told, because the editor can tell no more. */
function leave({ live }: TextLease, { label, onLeave }: MarkdownEditorProps, byKey: boolean): void {
  const { problem } = live.state
  if (problem && !live.state.isStored)
    showToast({ message: t('live.left', { field: label, reason: reasonOf(problem) }), tone: 'bad' })
  onLeave(live.text(), byKey)
}

interface Status {
  readonly tone: 'quiet' | 'warn' | 'bad'
  readonly text: string
}

function statusOf(state: LiveState | undefined, isFull: boolean): Status {
  if (!state || state.phase === 'connecting') return { tone: 'quiet', text: t('live.connecting') }
  if (state.phase === 'ended')
    return { tone: 'bad', text: t(`live.end.${state.end ?? 'gone'}`) + (state.isStored ? '' : ` ${t('live.copy')}`) }
  if (state.problem) return { tone: 'bad', text: t('live.refused', { reason: reasonOf(state.problem) }) }
  if (state.phase === 'offline')
    return { tone: 'warn', text: t(state.isStored ? 'live.offline' : 'live.offline.unstored') }
  if (isFull) return { tone: 'warn', text: t('live.full') }
  return { tone: 'quiet', text: t(state.isReadOnly ? 'live.readOnly' : 'live.keys') }
}

/** One sentence for a problem of the host. */
function reasonOf({ message, fieldErrors }: LiveTextProblem): string {
  const texts = (fieldErrors ?? []).map((one) => one.message)
  return texts.length > 0 ? texts.join(' ') : message === '' ? t('live.refused.unknown') : message
}
