// Owns the list of steps: what can be undone and done again, the newest first, with a jump to each of them.
import { UnstyledButton } from '@mantine/core'
import { IconArrowBackUp, IconArrowForwardUp } from '@tabler/icons-react'
import { useState } from 'react'
import { Dialog } from '../components/dialog.tsx'
import { Moment } from '../components/moment.tsx'
import { t } from '../lib/strings.ts'
import { jumpAndTell } from '../lib/undo-told.ts'
import { useUndoList } from '../lib/undo.ts'
import type { UndoStep } from '../lib/undo.ts'
import { setUndoListOpen, useUi } from './ui-state.ts'
import classes from './undo-list.module.css'

/** The dialog. */
export function UndoList() {
  const opened = useUi((state) => state.undoListOpen)
  return (
    <Dialog opened={opened} onClose={() => setUndoListOpen(false)} title={t('undoList.title')}>
      {opened && <Steps />}
    </Dialog>
  )
}

function Steps() {
  const { done, undone } = useUndoList()
  const [busy, setBusy] = useState(false)
  const jump = async (direction: 'undo' | 'redo', count: number): Promise<void> => {
    setBusy(true)
    await jumpAndTell(direction, count)
    setBusy(false)
  }
  if (done.length + undone.length === 0) return <p className={classes.note}>{t('undoList.empty')}</p>
  return (
    <div className={classes.list} aria-busy={busy}>
      {undone.length > 0 && (
        <ol aria-label={t('undoList.undone')} reversed>
          {undone.map((step, at) => (
            <Step key={step.id} step={step} isUndone busy={busy} onJump={() => void jump('redo', undone.length - at)} />
          ))}
        </ol>
      )}
      <p className={classes.now}>
        <span>{t('word.now')}</span>
      </p>
      {done.length > 0 && (
        <ol aria-label={t('undoList.done')} reversed>
          {done.toReversed().map((step, at) => (
            <Step key={step.id} step={step} isUndone={false} busy={busy} onJump={() => void jump('undo', at + 1)} />
          ))}
        </ol>
      )}
    </div>
  )
}

function Step(props: { step: UndoStep; isUndone: boolean; busy: boolean; onJump: () => void }) {
  const { step, isUndone, busy } = props
  const label = t(isUndone ? 'undoList.redoTo' : 'undoList.undoTo', { label: step.label })
  const Icon = isUndone ? IconArrowForwardUp : IconArrowBackUp
  return (
    <li>
      <UnstyledButton
        className={classes.step}
        data-undone={isUndone || undefined}
        aria-disabled={busy || undefined}
        onClick={busy ? undefined : props.onJump}
      >
        <Icon size={14} aria-hidden />
        <span className="cairn-hidden">{label}</span>
        <span className={classes.label} aria-hidden>
          {step.label}
        </span>
        <Moment at={new Date(step.at).toISOString()} />
      </UnstyledButton>
    </li>
  )
}
