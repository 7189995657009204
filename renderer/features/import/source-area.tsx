// Owns the place where a table comes in: paste anywhere on the page, drop a file, or choose one with the keyboard.
import { IconClipboardText } from '@tabler/icons-react'
import { useEffect, useRef, useState } from 'react'
import type { DragEvent, ReactNode } from 'react'
import { ShortcutKeys } from '../../components/shortcut-keys.tsx'
import { t } from '../../lib/strings.ts'
import classes from './source-area.module.css'
import type { TableSource } from './table-types.ts'

const accepted =
  '.csv,.tsv,.tab,.txt,.json,.ndjson,.jsonl,.xlsx,.xlsm,text/csv,text/tab-separated-values,application/json'

/** The area; `autoFocus` lets Ctrl+V and Enter work without a click. `status` replaces its text while reading. */
export function SourceArea(props: {
  onSource: (source: TableSource) => void
  autoFocus?: boolean
  status?: ReactNode
  busy?: boolean
}) {
  const [over, setOver] = useState(false)
  const input = useRef<HTMLInputElement>(null)
  const button = useRef<HTMLButtonElement>(null)
  const onSource = useRef(props.onSource)
  useEffect(() => {
    onSource.current = props.onSource
  })

  useEffect(() => {
    if (props.autoFocus) button.current?.focus({ preventScroll: true })
  }, [props.autoFocus])

  useEffect(() => {
    const onPaste = (event: ClipboardEvent): void => {
      const target = event.target
      if (target instanceof Element && target.closest('input, textarea, [contenteditable="true"]')) return
      const file = event.clipboardData?.files[0]
      const text = event.clipboardData?.getData('text/plain') ?? ''
      // A spreadsheet program puts a picture of the cells beside their text.
      if (text.trim() !== '') onSource.current({ kind: 'text', text })
      else if (file) onSource.current({ kind: 'file', file })
      else return
      event.preventDefault()
    }
    document.addEventListener('paste', onPaste)
    return () => document.removeEventListener('paste', onPaste)
  }, [])

  const onDrop = (event: DragEvent): void => {
    event.preventDefault()
    setOver(false)
    const file = event.dataTransfer.files[0]
    const text = event.dataTransfer.getData('text/plain')
    if (file) props.onSource({ kind: 'file', file })
    else if (text.trim() !== '') props.onSource({ kind: 'text', text })
  }

  return (
    <>
      <button
        ref={button}
        type="button"
        className={classes.area}
        data-over={over || undefined}
        aria-busy={props.busy}
        onClick={() => input.current?.click()}
        onDragOver={(event) => {
          event.preventDefault()
          setOver(true)
        }}
        onDragLeave={() => setOver(false)}
        onDrop={onDrop}
      >
        <IconClipboardText size={32} stroke={1.5} aria-hidden />
        <span className={classes.title}>{over ? t('import.drop.now') : (props.status ?? t('import.drop.title'))}</span>
        <span className={classes.hint}>
          <ShortcutKeys shortcut="Mod+V" /> {t('import.drop.keys')}
        </span>
        <span className={classes.hint}>{t('import.drop.choose')}</span>
      </button>
      <input
        ref={input}
        type="file"
        accept={accepted}
        hidden
        tabIndex={-1}
        aria-hidden
        onChange={(event) => {
          const file = event.currentTarget.files?.[0]
          event.currentTarget.value = ''
          if (file) props.onSource({ kind: 'file', file })
        }}
      />
    </>
  )
}
