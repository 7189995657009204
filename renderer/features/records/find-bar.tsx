// Owns the small bar that finds a text in the cells of a view: next and previous hit, without narrowing what is shown.
import { ActionIcon, CloseButton, TextInput } from '@mantine/core'
import { IconArrowDown, IconArrowUp } from '@tabler/icons-react'
import { useEffect, useRef, useState } from 'react'
import type { GridGroups } from '../../components/grid/index.ts'
import type { FieldContext, FieldDefinition } from '../../fields/index.ts'
import { locale } from '../../lib/language.ts'
import { t } from '../../lib/strings.ts'
import { showProblem } from '../../lib/toast.ts'
import { findHit } from './find-in-rows.ts'
import type { Hit } from './find-in-rows.ts'
import classes from './records.module.css'
import type { RecordRows } from './use-record-rows.ts'

/** The bar; Enter goes on, Shift+Enter back, Escape closes. */
export function FindBar(props: {
  columns: readonly FieldDefinition[]
  context: FieldContext
  rows: Pick<RecordRows, 'rowCount' | 'loadRows'>
  groups: GridGroups | undefined
  /** The active cell: the search goes on from it. */
  from: { row: number; column: number } | undefined
  onHit: (hit: Hit) => void
  onClose: () => void
}) {
  const [text, setText] = useState('')
  const [state, setState] = useState('')
  const running = useRef<AbortController>(undefined)
  const input = useRef<HTMLInputElement>(null)
  useEffect(() => {
    input.current?.focus()
    return () => running.current?.abort()
  }, [])

  const find = async (back: boolean): Promise<void> => {
    const wanted = text.trim()
    if (wanted === '') return
    running.current?.abort()
    const controller = new AbortController()
    running.current = controller
    setState(t('find.searching'))
    const { columns, context, rows, groups } = props
    try {
      const hit = await findHit({
        text: wanted,
        columns,
        context,
        rowCount: rows.rowCount,
        loadRows: rows.loadRows,
        isHeading: (line) => groups?.headingAt(line) !== undefined,
        from: props.from ?? { row: 0, column: -1 },
        back,
        signal: controller.signal,
        onLine: (line) => setState(t('find.at', { row: (line + 1).toLocaleString(locale) })),
      })
      if (controller.signal.aborted) return
      setState(
        hit
          ? t('find.at', { row: (groups?.numberOf(hit.line) ?? hit.line + 1).toLocaleString(locale) })
          : t('find.none'),
      )
      if (hit) props.onHit(hit)
    } catch (error) {
      setState('')
      showProblem(error)
    }
  }

  return (
    <div
      role="search"
      className={classes.find}
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return
        event.preventDefault()
        props.onClose()
      }}
    >
      <TextInput
        ref={input}
        size="xs"
        aria-label={t('word.findInView')}
        placeholder={t('word.findInView')}
        value={text}
        onChange={(event) => {
          setText(event.currentTarget.value)
          setState('')
        }}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || event.nativeEvent.isComposing) return
          event.preventDefault()
          void find(event.shiftKey)
        }}
      />
      <span role="status" className={classes.findState}>
        {state}
      </span>
      <ActionIcon
        size={24}
        variant="subtle"
        color="gray"
        aria-label={t('find.previous')}
        onClick={() => void find(true)}
      >
        <IconArrowUp size={14} aria-hidden />
      </ActionIcon>
      <ActionIcon size={24} variant="subtle" color="gray" aria-label={t('find.next')} onClick={() => void find(false)}>
        <IconArrowDown size={14} aria-hidden />
      </ActionIcon>
      <CloseButton size="sm" aria-label={t('find.close')} onClick={props.onClose} />
    </div>
  )
}
