// Owns asking what a dashboard is called: a new one, a copy, or one that is renamed.
import { TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { DialogForm } from '../../components/dialog-form.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { navigate } from '../../lib/hash-location.ts'
import { t } from '../../lib/strings.ts'
import { nameFromLabel, uniqueName } from '../objects/index.ts'
import { writeDashboard } from './dashboard-item.ts'
import type { Dashboard } from './dashboard-item.ts'
import { dashboardPath } from './dashboard-places.ts'
import { dashboardsQuery } from './dashboard-queries.ts'
import { saveDashboard } from './dashboard-steps.ts'

interface NameProps {
  /** The one that is renamed or copied; undefined for a new one. */
  dashboard: Dashboard | undefined
  /** What is asked for; undefined asks nothing. */
  naming: 'new' | 'rename' | 'copy' | undefined
  onClose: () => void
}

/** The dialog. */
export function NameDialog(props: NameProps) {
  const { naming } = props
  return (
    <Dialog
      opened={naming !== undefined}
      onClose={props.onClose}
      title={t(naming === 'new' ? 'dashboards.new' : naming === 'copy' ? 'dashboards.duplicate' : 'word.renameDots')}
      closeOnClickOutside={false}
    >
      {naming && <NameForm {...props} naming={naming} />}
    </Dialog>
  )
}

function NameForm({ dashboard, naming, onClose }: NameProps & { naming: 'new' | 'rename' | 'copy' }) {
  const client = useQueryClient()
  const [label, setLabel] = useState(() => {
    if (!dashboard) return ''
    return naming === 'copy' ? t('dashboards.copyOf', { label: dashboard.label }) : dashboard.label
  })
  const submit = async (): Promise<void> => {
    const words = label.trim()
    if (naming === 'rename' && dashboard) {
      const item = writeDashboard({ ...dashboard, label: words })
      await saveDashboard(t('undo.dashboard.rename', { label: words }), dashboard.name, item)
      return onClose()
    }
    const all = await client.fetchQuery({ ...dashboardsQuery, staleTime: 0 })
    const name = uniqueName(nameFromLabel(words, 'dashboard'), new Set(all.map((one) => one.name)))
    const item = dashboard
      ? { label: words, columns: dashboard.columns, widgets: writeDashboard(dashboard)['widgets'] }
      : { label: words, columns: 12, widgets: [] }
    await saveDashboard(t('undo.dashboard.new', { label: words }), name, { name, ...item })
    onClose()
    navigate(dashboardPath(name, naming === 'new' ? 'edit' : undefined))
  }
  return (
    <DialogForm
      submit={t(naming === 'rename' ? 'app.save' : 'word.create')}
      ready={label.trim() !== ''}
      onClose={onClose}
      onSubmit={submit}
    >
      {(tried) => (
        <TextInput
          label={t('dashboards.label')}
          value={label}
          error={tried && label.trim() === '' ? t('dashboards.label.missing') : undefined}
          autoComplete="off"
          data-autofocus
          onChange={(event) => setLabel(event.currentTarget.value)}
        />
      )}
    </DialogForm>
  )
}
