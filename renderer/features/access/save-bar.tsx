// Owns saving a profile, permission set or role over the version it was edited from.
import { Button } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { Notice } from '../../components/notice.tsx'
import parts from '../../components/parts.module.css'
import { callTagged } from '../../lib/api-client.ts'
import { hasCode } from '../../lib/api-error.ts'
import { useLeaveGuard } from '../../lib/leave-guard.ts'
import { problemText } from '../../lib/problem-text.ts'
import { storedRightItem } from '../../lib/right-sets.ts'
import type { RightItem, RightType } from '../../lib/right-sets.ts'
import { t, tn } from '../../lib/strings.ts'
import { showToast } from '../../lib/toast.ts'
import { leaveQuestion } from '../objects/index.ts'
import classes from './access.module.css'

/** What an editor of one item is given. */
export interface RightEditorProps {
  type: RightType
  item: RightItem
  etag: string | undefined
  /** Told whether there are changes. */
  onChanged: (isChanged: boolean) => void
  /** Told what was saved where the draft has gone on meanwhile. */
  onSaved: (saved: { item: RightItem; etag: string | undefined }) => void
  /** Gives the draft up for what is stored. */
  onReload: () => void
}

/** The bar that says how much of a draft is not saved, and saves it. */
export function SaveBar(props: RightEditorProps & { changes: number; draft: RightItem; onDiscard: () => void }) {
  const { type, item, etag, changes, draft, onChanged } = props
  const client = useQueryClient()
  const [problem, setProblem] = useState<{ text: string; stale: boolean }>()
  const [busy, setBusy] = useState(false)
  const isChanged = changes > 0
  const unsaved = useRef<RightItem>(undefined)
  unsaved.current = isChanged ? draft : undefined
  useEffect(() => onChanged(isChanged), [onChanged, isChanged])
  useLeaveGuard(isChanged ? leaveQuestion(item.label) : undefined)

  const save = async (): Promise<void> => {
    setBusy(true)
    setProblem(undefined)
    try {
      const saved = await callTagged('saveMetadataItem', {
        params: { type, name: item.name },
        body: { type, name: item.name, item: storedRightItem(type, draft) },
        query: {},
        headers: etag === undefined ? undefined : { 'If-Match': etag },
      })
      showToast({ message: t('rights.saved', { label: draft.label }), tone: 'good' })
      // What was typed meanwhile is not saved yet.
      if (unsaved.current === undefined || unsaved.current === draft) onChanged(false)
      else props.onSaved({ item: draft, etag: saved.etag })
      await client.invalidateQueries({ queryKey: ['right-sets'] })
      await client.invalidateQueries({ queryKey: ['own-rights'] })
      await client.invalidateQueries({ queryKey: ['people', 'effective'] })
    } catch (error) {
      const stale = hasCode(error, 'CONCURRENT_UPDATE')
      setProblem({ text: stale ? t('rights.conflict') : problemText(error), stale })
    } finally {
      setBusy(false)
    }
  }

  if (changes === 0) return null
  return (
    <>
      {problem && (
        <div className={parts.section}>
          <Notice
            tone="bad"
            live
            actions={
              problem.stale && (
                <Button size="compact-sm" variant="default" onClick={props.onReload}>
                  {t('rights.reload')}
                </Button>
              )
            }
          >
            {problem.text}
          </Notice>
        </div>
      )}
      <div className={classes.saveBar}>
        <p role="status">{tn('rights.dirty', changes)}</p>
        <div>
          <Button
            variant="default"
            onClick={() => {
              setProblem(undefined)
              props.onDiscard()
            }}
          >
            {t('rights.discard')}
          </Button>
          <Button loading={busy} onClick={() => void save()}>
            {t('word.save')}
          </Button>
        </div>
      </div>
    </>
  )
}
