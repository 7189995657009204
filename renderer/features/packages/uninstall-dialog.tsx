// Owns the question before a package goes: whether its records stay.
import { Radio } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { DialogForm } from '../../components/dialog-form.tsx'
import { Dialog } from '../../components/dialog.tsx'
import parts from '../../components/parts.module.css'
import { call } from '../../lib/api-client.ts'
import { navigate } from '../../lib/hash-location.ts'
import { t } from '../../lib/strings.ts'
import { showToast } from '../../lib/toast.ts'
import { installedPath } from './package-places.ts'
import { refreshAfterPackages } from './package-queries.ts'
import type { InstalledPackage } from './package-queries.ts'
import { packageProblem } from './package-words.ts'

/** The dialog. */
export function UninstallDialog(props: { opened: boolean; one: InstalledPackage; onClose: () => void }) {
  const { id, name } = props.one
  const client = useQueryClient()
  const [keepData, setKeepData] = useState(true)
  const run = async (): Promise<void> => {
    // What goes is said in this dialog: the answer to it is the consent to the plan.
    await call('uninstallPackage', { params: { id }, query: { keepData, ...(keepData ? {} : { confirm: 'true' }) } })
    showToast({ message: t('packages.uninstalled', { name }), tone: 'good' })
    navigate(installedPath)
    await refreshAfterPackages(client)
  }
  return (
    <Dialog opened={props.opened} onClose={props.onClose} title={t('packages.uninstall.title', { name })}>
      <DialogForm
        submit={t('packages.uninstall')}
        ready
        dangerous={!keepData}
        describe={packageProblem}
        onClose={props.onClose}
        onSubmit={run}
      >
        {() => (
          <>
            <p>{t('packages.uninstall.goes')}</p>
            <Radio.Group
              label={t('packages.uninstall.data')}
              value={keepData ? 'keep' : 'drop'}
              onChange={(value) => setKeepData(value === 'keep')}
            >
              <div className={parts.choices}>
                <Radio
                  value="keep"
                  label={t('packages.uninstall.keep')}
                  description={t('packages.uninstall.keep.help')}
                />
                <Radio
                  value="drop"
                  label={t('packages.uninstall.drop')}
                  description={t('packages.uninstall.drop.help')}
                />
              </div>
            </Radio.Group>
          </>
        )}
      </DialogForm>
    </Dialog>
  )
}
