// Owns holding sync up for a while, turning it off, and the file for whoever looks into a fault.
import { Button, Switch } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import parts from '../../components/parts.module.css'
import { call } from '../../lib/api-client.ts'
import { confirmAction } from '../../lib/confirm.ts'
import { saveFile } from '../../lib/save-file.ts'
import { t } from '../../lib/strings.ts'
import { showProblem, showToast } from '../../lib/toast.ts'
import { syncKey } from './sync-queries.ts'
import { useSettingsChange } from './use-settings-change.ts'

/** The part. */
export function OffPart(props: { paused: boolean }) {
  return (
    <>
      <Pause paused={props.paused} />
      <Diagnostics />
      <TurnOff />
    </>
  )
}

function Pause(props: { paused: boolean }) {
  const change = useSettingsChange()
  const pause = async (paused: boolean): Promise<void> => {
    try {
      await change({ paused }, t(paused ? 'pause.done' : 'pause.gone'))
    } catch (error) {
      showProblem(error)
    }
  }
  return (
    <section className={parts.section} aria-labelledby="sync-pause">
      <h2 id="sync-pause">{t('pause.title')}</h2>
      <div className={parts.form}>
        <Switch
          label={t('pause.on')}
          description={t('pause.help')}
          checked={props.paused}
          onChange={(event) => void pause(event.currentTarget.checked)}
        />
      </div>
    </section>
  )
}

function Diagnostics() {
  const [busy, setBusy] = useState(false)
  const save = async (): Promise<void> => {
    setBusy(true)
    try {
      const report = await call('getSyncDiagnostics', {})
      const file = `cairn-sync-${report.at.slice(0, 10)}.json`
      saveFile(file, new Blob([JSON.stringify(report, undefined, 2)], { type: 'application/json' }))
      showToast({ message: t('diagnostics.done', { file }), tone: 'good' })
    } catch (error) {
      showProblem(error)
    } finally {
      setBusy(false)
    }
  }
  return (
    <section className={parts.section} aria-labelledby="sync-diagnostics">
      <h2 id="sync-diagnostics">{t('diagnostics.title')}</h2>
      <p className={parts.lead}>{t('diagnostics.lead')}</p>
      <div className={parts.actions}>
        <Button variant="default" loading={busy} onClick={() => void save()}>
          {t('diagnostics.button')}
        </Button>
      </div>
    </section>
  )
}

function TurnOff() {
  const client = useQueryClient()
  const [busy, setBusy] = useState(false)
  const turnOff = async (): Promise<void> => {
    const yes = await confirmAction({
      title: t('off.confirm.title'),
      body: t('off.confirm.body'),
      confirmLabel: t('off.confirm.submit'),
    })
    if (!yes) return
    setBusy(true)
    try {
      await call('disableSync', {})
      showToast({ message: t('off.done') })
    } catch (error) {
      showProblem(error)
    } finally {
      setBusy(false)
    }
    await client.invalidateQueries({ queryKey: syncKey })
  }
  return (
    <section className={parts.section} aria-labelledby="sync-turn-off">
      <h2 id="sync-turn-off">{t('off.title')}</h2>
      <p className={parts.lead}>{t('off.lead')}</p>
      <div className={parts.actions}>
        <Button variant="default" loading={busy} onClick={() => void turnOff()}>
          {t('off.button')}
        </Button>
      </div>
    </section>
  )
}
