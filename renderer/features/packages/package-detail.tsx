// Owns what is shown of an installed package, and what can be done with it.
import { Button } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { FactList } from '../../components/fact-list.tsx'
import type { Fact } from '../../components/fact-list.tsx'
import parts from '../../components/parts.module.css'
import { call, download } from '../../lib/api-client.ts'
import { formatMoment, formatNumber } from '../../lib/format.ts'
import { useMay } from '../../lib/own-rights.ts'
import { saveFile } from '../../lib/save-file.ts'
import { t, tn } from '../../lib/strings.ts'
import { showToast } from '../../lib/toast.ts'
import { availableQuery, refreshAfterPackages } from './package-queries.ts'
import type { InstalledPackage } from './package-queries.ts'
import { countText, isNewer, newestOf, packageProblem } from './package-words.ts'
import { SnapshotList } from './snapshot-list.tsx'
import { UninstallDialog } from './uninstall-dialog.tsx'
import { UpgradeDialog } from './upgrade-dialog.tsx'
import classes from './packages.module.css'

/** The detail. */
export function PackageDetail({ one }: { one: InstalledPackage }) {
  const { id, name, status } = one
  const client = useQueryClient()
  const mayManage = useMay('manage_packages') === true
  const { data: available } = useQuery({ ...availableQuery, enabled: mayManage })
  const [busy, setBusy] = useState<string>()
  const [dialog, setDialog] = useState<'upgrade' | 'uninstall'>()
  const newest = newestOf(available?.filter(({ packageId }) => packageId === id) ?? [])[0]
  const next = newest !== undefined && isNewer(newest.version, one.version) ? newest.version : undefined

  const run = async (what: string, work: () => Promise<string | undefined>): Promise<void> => {
    setBusy(what)
    try {
      const message = await work()
      await refreshAfterPackages(client)
      if (message !== undefined) showToast({ message, tone: 'good' })
    } catch (error) {
      showToast({ message: packageProblem(error), tone: 'bad' })
    } finally {
      setBusy(undefined)
    }
  }
  const turn = async (): Promise<string> => {
    const isOff = status === 'disabled'
    await call(isOff ? 'enablePackage' : 'disablePackage', { params: { id } })
    return t(isOff ? 'packages.enabled' : 'packages.disabled', { name })
  }
  const removeSamples = async (): Promise<string> => {
    const { removed, kept } = await call('removePackageSamples', { params: { id } })
    const told = tn('packages.samples.removed', removed)
    return kept.length === 0 ? told : `${told} ${tn('packages.samples.kept', kept.length)}`
  }
  const save = async (): Promise<undefined> => {
    const { file, name: fileName } = await download('exportPackage', { params: { id }, query: {} })
    saveFile(fileName ?? `${id}.zip`, file)
    return undefined
  }
  return (
    <section aria-labelledby="package-name">
      <h2 id="package-name" className={classes.title}>
        {name}
      </h2>
      {one.description !== undefined && <p className={parts.lead}>{one.description}</p>}
      {mayManage && (
        <div className={parts.actions}>
          {next !== undefined && (
            <Button onClick={() => setDialog('upgrade')}>{t('word.upgradeTo', { version: next })}</Button>
          )}
          {one.samples > 0 && status === 'installed' && (
            <Button variant="default" loading={busy === 'samples'} onClick={() => void run('samples', removeSamples)}>
              {t('packages.samples.remove')}
            </Button>
          )}
          <Button variant="default" loading={busy === 'turn'} onClick={() => void run('turn', turn)}>
            {t(status === 'disabled' ? 'packages.enable' : 'packages.disable')}
          </Button>
          <Button variant="subtle" loading={busy === 'save'} onClick={() => void run('save', save)}>
            {t('packages.export')}
          </Button>
          <Button variant="subtle" onClick={() => setDialog('uninstall')}>
            {t('packages.uninstall')}
          </Button>
        </div>
      )}
      <FactList facts={factsOf(one)} />
      {mayManage && <SnapshotList one={one} />}
      {next !== undefined && (
        <UpgradeDialog opened={dialog === 'upgrade'} one={one} version={next} onClose={() => setDialog(undefined)} />
      )}
      <UninstallDialog opened={dialog === 'uninstall'} one={one} onClose={() => setDialog(undefined)} />
    </section>
  )
}

function factsOf(one: InstalledPackage): Fact[] {
  const history = one.upgradeHistory.map(({ fromVersion, toVersion, status }) =>
    t(`packages.history.${status}`, { from: fromVersion, to: toVersion }),
  )
  return [
    [t('packages.fact.status'), t(`packages.status.${one.status}`, { message: one.errorMessage ?? '' })],
    [t('word.id'), `${one.id} ${one.version}`],
    [t('packages.trust'), t(`packages.trust.${one.trust}`)],
    [t('word.installed'), formatMoment(one.installedAt)],
    [t('packages.fact.items'), countText(one.items)],
    ...(one.samples > 0 ? [[t('packages.fact.samples'), formatNumber(one.samples)] as const] : []),
    ...(history.length > 0 ? [[t('packages.fact.history'), history.join('; ')] as const] : []),
  ]
}
