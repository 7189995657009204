// Owns one field of a record on its page: its name, its value, and editing it in place with the editor of its type, or
// together with others where the host offers that.
import { Button } from '@mantine/core'
import { IconPencil } from '@tabler/icons-react'
import { useEffect, useId, useRef, useState } from 'react'
import type { FocusEvent, KeyboardEvent, ReactNode } from 'react'
import type { GridRecord } from '../../components/grid/index.ts'
import { fieldLabel, fieldTypeOf, isEditable } from '../../fields/index.ts'
import type { FieldContext, FieldDefinition } from '../../fields/index.ts'
import { isApple } from '../../lib/shortcuts.ts'
import { t } from '../../lib/strings.ts'
import { showToast } from '../../lib/toast.ts'
import { LiveText, useHasLiveText } from '../live-text/index.ts'
import { FieldValue, holdsLinks } from './field-value.tsx'
import { RecordFiles } from './record-files.tsx'
import type { RecordEdits } from './use-record-edits.ts'
import classes from './record.module.css'

/** What is being typed, and the record as it was when typing began. */
interface Draft {
  text: string
  base: GridRecord
  problem: string | undefined
}

/** What could not be saved before its field left the screen, by record and field: it is there again with the field. */
const waiting = new Map<string, Draft>()

/** One field. */
export function RecordField(props: {
  /** Name of the object. */
  object: string
  field: FieldDefinition
  label: string | undefined
  record: GridRecord
  context: FieldContext
  wide: boolean
  /** Refuses editing although the type would allow it. */
  readonly: boolean
  save: RecordEdits['save']
  /** Stands beside the name. */
  mark?: ReactNode
}) {
  const { field, record, context, save } = props
  const id = useId()
  const place = `${props.object} ${String(record['id'])} ${field.name}`
  const [found] = useState(() => waiting.get(place))
  const [draft, setDraft] = useState(found)
  const [saving, setSaving] = useState<{ value: unknown }>()
  const [live, setLive] = useState<'open' | 'never'>()
  /** What was typed together with others, until the record comes with it. */
  const [left, setLeft] = useState<string>()
  const frame = useRef<HTMLDivElement>(null)
  const opener = useRef<HTMLButtonElement>(null)
  const focusOpener = useRef(false)
  const type = fieldTypeOf(field)
  const label = props.label ?? fieldLabel(field)
  const editable = !props.readonly && isEditable(field)
  const stored = record[field.name]
  const value = saving ? saving.value : (left ?? stored)
  const hasLive = useHasLiveText(field) && editable && live !== 'never'

  useEffect(() => {
    if (draft || live === 'open' || !focusOpener.current) return
    focusOpener.current = false
    opener.current?.focus()
  }, [draft, live])

  useEffect(() => setLeft(undefined), [stored])

  const isThere = useRef(false)
  const leave = useRef<() => void>(undefined)
  useEffect(() => {
    isThere.current = true
    waiting.delete(place)
    return () => {
      isThere.current = false
      leave.current?.()
    }
  }, [place])

  const open = (): void => {
    if (type.toggle) void write(type.toggle(value), record)
    else if (hasLive) setLive('open')
    else openDraft()
  }
  const openDraft = (): void => setDraft({ text: type.toText(value, field, context), base: record, problem: undefined })
  const leaveLive = (text: string, byKey: boolean): void => {
    focusOpener.current = byKey
    setLive(undefined)
    setLeft(text === (stored ?? '') ? undefined : text)
  }
  const close = (): void => {
    focusOpener.current = true
    setDraft(undefined)
  }
  /** Keeps typed text with the reason beside it, also of a field that has left the screen. */
  const refuse = (refused: Draft): void => {
    setDraft(refused)
    if (!isThere.current) waiting.set(place, refused)
  }
  const write = async (next: unknown, base: GridRecord, typed?: string): Promise<void> => {
    setSaving({ value: next })
    try {
      await save(field.name, next, base)
    } catch (error) {
      const problem = error instanceof Error ? error.message : String(error)
      refuse({ text: typed ?? type.toText(next, field, context), base, problem })
      if (!isThere.current) showToast({ message: `${label}: ${problem}`, tone: 'bad', stays: true })
    } finally {
      setSaving(undefined)
    }
  }
  const commit = (text: string, leaving: boolean): void => {
    if (!draft || saving) return
    const read = type.parse(text, field, context)
    if (!read.ok) {
      refuse({ ...draft, text, problem: read.message })
      return
    }
    if (!leaving) focusOpener.current = true
    setDraft(undefined)
    // It is given to the host already where this very event takes the field away.
    leave.current = undefined
    const before = type.parse(type.toText(draft.base[field.name], field, context), field, context)
    if (before.ok && JSON.stringify(before.value ?? null) === JSON.stringify(read.value ?? null)) return
    void write(read.value, draft.base, text)
  }

  leave.current = () => {
    if (!draft || draft.text === type.toText(draft.base[field.name], field, context)) return
    if (draft.problem === undefined) commit(draft.text, true)
    else refuse(draft)
  }

  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.defaultPrevented || event.nativeEvent.isComposing || !draft) return
    if (event.key === 'Escape') {
      event.preventDefault()
      event.stopPropagation()
      close()
    } else if (event.key === 'Enter') {
      const isText = (event.target as Element).tagName === 'TEXTAREA'
      const mod = isApple ? event.metaKey : event.ctrlKey
      if (isText && !mod) return
      event.preventDefault()
      commit(draft.text, false)
    }
  }
  const onBlur = (event: FocusEvent): void => {
    const next = event.relatedTarget
    if (!document.hasFocus() || (next instanceof Node && frame.current?.contains(next))) return
    if (draft && draft.problem === undefined) commit(draft.text, true)
  }

  const { icon: Icon, Editor } = type
  return (
    <div className={classes.field} data-wide={props.wide || undefined} data-field={field.name}>
      <dt className={classes.fieldLabel}>
        <Icon size={14} aria-hidden />
        <span id={`${id}-label`}>{label}</span>
        {props.mark}
      </dt>
      <dd className={classes.fieldValue}>
        {type.files ? (
          <RecordFiles field={field} label={label} record={record} editable={editable} save={save} />
        ) : live === 'open' ? (
          <LiveText
            field={field}
            place={{ object: props.object, recordId: String(record['id']), field: field.name }}
            label={label}
            onLeave={leaveLive}
            onUnavailable={() => {
              setLive('never')
              openDraft()
            }}
          />
        ) : draft ? (
          <div ref={frame} className={classes.editor} onKeyDown={onKeyDown} onBlur={onBlur}>
            <div className={classes.editorBox}>
              <Editor
                field={field}
                context={context}
                label={label}
                draft={draft.text}
                value={draft.base[field.name]}
                recordId={String(record['id'])}
                invalid={draft.problem !== undefined}
                describedBy={`${id}-problem`}
                // What is found again takes the focus from nothing.
                autoFocus={draft !== found}
                onDraft={(text) => setDraft({ ...draft, text })}
                onDone={(text) => commit(text, false)}
              />
            </div>
            <p id={`${id}-problem`} className={draft.problem === undefined ? classes.hint : classes.problem}>
              {draft.problem ?? t(type.tall ? 'record.keys.long' : 'record.keys')}
            </p>
            {draft.problem !== undefined && (
              <div className={classes.editorActions}>
                <Button size="compact-xs" variant="default" onClick={() => commit(draft.text, false)}>
                  {t('record.saveAgain')}
                </Button>
                <Button size="compact-xs" variant="subtle" color="gray" onClick={close}>
                  {t('grid.discard')}
                </Button>
              </div>
            )}
          </div>
        ) : editable && holdsLinks(field, value) ? (
          <div className={classes.linking} data-saving={saving !== undefined || left !== undefined || undefined}>
            <div id={`${id}-value`} className={classes.linkingValue}>
              <FieldValue field={field} value={value} context={context} />
            </div>
            <button
              ref={opener}
              type="button"
              className={classes.pencil}
              aria-labelledby={`${id}-edit ${id}-label ${id}-value`}
              onClick={open}
            >
              <IconPencil size={14} aria-hidden />
              <span id={`${id}-edit`} className="cairn-hidden">
                {t('record.edit')}
              </span>
            </button>
          </div>
        ) : editable ? (
          <button
            ref={opener}
            type="button"
            className={classes.value}
            data-saving={saving !== undefined || left !== undefined || undefined}
            aria-labelledby={`${id}-edit ${id}-label ${id}-value`}
            onClick={open}
          >
            <span id={`${id}-edit`} className="cairn-hidden">
              {t('record.edit')}
            </span>
            <span id={`${id}-value`} className={classes.shown}>
              <FieldValue field={field} value={value} context={context} />
            </span>
            <Icon className={classes.valueIcon} size={14} aria-hidden />
          </button>
        ) : (
          <div className={classes.fixed}>
            <FieldValue field={field} value={value} context={context} />
          </div>
        )}
      </dd>
    </div>
  )
}
