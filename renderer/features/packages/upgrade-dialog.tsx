// Owns an upgrade before it happens: what changes, where both sides changed the same, and which of them counts.
import { Button, Group, Radio } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Loading } from '../../components/delayed.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { Notice } from '../../components/notice.tsx'
import parts from '../../components/parts.module.css'
import { call } from '../../lib/api-client.ts'
import { t } from '../../lib/strings.ts'
import { showToast } from '../../lib/toast.ts'
import { refreshAfterPackages, upgradePlanQuery } from './package-queries.ts'
import type { InstalledPackage, Upgrade } from './package-queries.ts'
import { packageProblem } from './package-words.ts'
import { UpgradeConflicts } from './upgrade-conflicts.tsx'
import classes from './packages.module.css'

type Strategy = 'three-way-merge' | 'accept-incoming'

/** The dialog. */
export function UpgradeDialog(props: { opened: boolean; one: InstalledPackage; version: string; onClose: () => void }) {
  const { one, version } = props
  return (
    <Dialog
      opened={props.opened}
      onClose={props.onClose}
      title={t('packages.upgrade.title', { name: one.name, from: one.version, to: version })}
      size="xl"
    >
      {props.opened && <Plan one={one} version={version} onClose={props.onClose} />}
    </Dialog>
  )
}

function Plan({ one, version, onClose }: { one: InstalledPackage; version: string; onClose: () => void }) {
  const { id, name } = one
  const client = useQueryClient()
  const { data: told, error } = useQuery(upgradePlanQuery(id, version))
  const [strategy, setStrategy] = useState<Strategy>('three-way-merge')
  const [busy, setBusy] = useState(false)
  const [problem, setProblem] = useState<string>()
  if (error) return <Notice tone="bad">{packageProblem(error)}</Notice>
  if (!told) return <Loading />
  const { plan, conflicts } = told

  const upgrade = async (): Promise<void> => {
    setBusy(true)
    setProblem(undefined)
    try {
      const confirm = plan.planHash
      const body = { packageId: id, targetVersion: version, mergeStrategy: strategy, ...(confirm ? { confirm } : {}) }
      await call('upgradePackage', { body })
      await refreshAfterPackages(client)
      showToast({ message: t('packages.upgraded', { name, version }), tone: 'good' })
      onClose()
    } catch (failure) {
      setProblem(packageProblem(failure))
    } finally {
      setBusy(false)
    }
  }
  return (
    <div className={parts.stack}>
      <p>{t(`packages.upgrade.impact.${plan.impactLevel}`)}</p>
      <Changes changes={plan.changes} />
      {conflicts.length > 0 && (
        <>
          <UpgradeConflicts conflicts={conflicts} />
          <Radio.Group
            label={t('packages.upgrade.strategy')}
            value={strategy}
            onChange={(value) => setStrategy(value as Strategy)}
          >
            <div className={parts.choices}>
              <Radio value="three-way-merge" label={t('packages.upgrade.strategy.mine')} />
              <Radio value="accept-incoming" label={t('packages.upgrade.strategy.theirs')} />
            </div>
          </Radio.Group>
        </>
      )}
      <p className={parts.quiet}>{t('packages.upgrade.snapshot')}</p>
      {problem !== undefined && (
        <Notice tone="bad" live>
          {problem}
        </Notice>
      )}
      <Group justify="flex-end">
        <Button variant="default" onClick={onClose} data-autofocus>
          {t('app.cancel')}
        </Button>
        <Button loading={busy} onClick={() => void upgrade()}>
          {t('packages.upgrade.run')}
        </Button>
      </Group>
    </div>
  )
}

function Changes({ changes }: { changes: Upgrade['plan']['changes'] }) {
  if (changes.length === 0) return null
  return (
    <section aria-labelledby="upgrade-changes">
      <h3 className={classes.small} id="upgrade-changes">
        {t('packages.upgrade.changes')}
      </h3>
      <ul className={classes.plain}>
        {changes.map(({ type, name, changeType, previousName, summary }) => (
          <li key={`${type} ${name}`}>
            {t(`packages.upgrade.${changeType}`, { what: `${type} ${name}`, before: previousName ?? '' })}
            {summary !== undefined && <span className={parts.under}>{summary}</span>}
          </li>
        ))}
      </ul>
    </section>
  )
}
