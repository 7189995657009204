// Owns the snapshots of a package and the way back to one.
import { Button } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import parts from '../../components/parts.module.css'
import { call } from '../../lib/api-client.ts'
import { confirmAction } from '../../lib/confirm.ts'
import { formatMoment } from '../../lib/format.ts'
import { t } from '../../lib/strings.ts'
import { showToast } from '../../lib/toast.ts'
import { refreshAfterPackages, snapshotsQuery } from './package-queries.ts'
import type { InstalledPackage } from './package-queries.ts'
import { packageProblem } from './package-words.ts'
import classes from './packages.module.css'

/** The snapshots; nothing where there are none. */
export function SnapshotList({ one }: { one: InstalledPackage }) {
  const client = useQueryClient()
  const { data: snapshots } = useQuery(snapshotsQuery(one.id))
  if (snapshots === undefined || snapshots.length === 0) return null
  const { id, name } = one
  const back = async (snapshotId: string, version: string): Promise<void> => {
    const sure = await confirmAction({
      title: t('packages.rollback.title', { name, version }),
      body: t('packages.rollback.body'),
      confirmLabel: t('packages.rollback', { version }),
    })
    if (!sure) return
    try {
      const { restoredVersion } = await call('rollbackPackage', { params: { id }, body: { snapshotId } })
      await refreshAfterPackages(client)
      showToast({ message: t('packages.rolledBack', { name, version: restoredVersion }), tone: 'good' })
    } catch (error) {
      showToast({ message: packageProblem(error), tone: 'bad' })
    }
  }
  return (
    <section className={parts.section} aria-labelledby="package-snapshots">
      <h2 id="package-snapshots">{t('packages.snapshots')}</h2>
      <p className={parts.lead}>{t('packages.snapshots.lead')}</p>
      <ul className={classes.rows}>
        {snapshots.map((snapshot) => (
          <li key={snapshot.id}>
            <span>
              {t('packages.snapshots.entry', {
                version: snapshot.fromVersion,
                until: formatMoment(snapshot.expiresAt),
              })}
            </span>
            <Button variant="default" size="compact-sm" onClick={() => void back(snapshot.id, snapshot.fromVersion)}>
              {t('packages.rollback', { version: snapshot.fromVersion })}
            </Button>
          </li>
        ))}
      </ul>
    </section>
  )
}
