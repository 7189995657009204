// Owns a place that takes dropped files: it says so while they are over it. Choosing with a button is its keyboard twin.
import { useRef, useState } from 'react'
import type { DragEvent, ReactNode } from 'react'
import { t } from '../../lib/strings.ts'
import classes from './files.module.css'

/** The place; without `onFiles` it takes none. */
export function FileDrop(props: {
  onFiles: ((files: readonly File[]) => void) | undefined
  className?: string | undefined
  children: ReactNode
}) {
  const { onFiles } = props
  const [over, setOver] = useState(false)
  /** Entering a child comes before leaving its parent. */
  const depth = useRef(0)
  const takes = (event: DragEvent): boolean => onFiles !== undefined && event.dataTransfer.types.includes('Files')
  return (
    <div
      className={[classes.drop, props.className].filter(Boolean).join(' ')}
      data-over={over || undefined}
      onDragEnter={(event) => {
        if (!takes(event)) return
        event.preventDefault()
        depth.current += 1
        setOver(true)
      }}
      onDragOver={(event) => {
        if (!takes(event)) return
        event.preventDefault()
        event.dataTransfer.dropEffect = 'copy'
      }}
      onDragLeave={(event) => {
        if (!takes(event)) return
        depth.current -= 1
        if (depth.current <= 0) setOver(false)
      }}
      onDrop={(event) => {
        depth.current = 0
        setOver(false)
        if (!takes(event)) return
        event.preventDefault()
        event.stopPropagation()
        onFiles?.([...event.dataTransfer.files])
      }}
    >
      {props.children}
      {over && <span className={classes.dropNote}>{t('files.drop.here')}</span>}
    </div>
  )
}
