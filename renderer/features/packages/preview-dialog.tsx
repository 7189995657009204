// Owns what a package would add and may do, before anything of it is there, and installing it.
import { Button, Checkbox, Group } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Loading } from '../../components/delayed.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { LoadFailure, Notice } from '../../components/notice.tsx'
import parts from '../../components/parts.module.css'
import { call } from '../../lib/api-client.ts'
import { navigate } from '../../lib/hash-location.ts'
import { t, tn } from '../../lib/strings.ts'
import { showToast } from '../../lib/toast.ts'
import { installedPackagePath } from './package-places.ts'
import { previewQuery, refreshAfterPackages } from './package-queries.ts'
import type { AvailablePackage, PackagePreview } from './package-queries.ts'
import { countText, packageProblem } from './package-words.ts'
import classes from './packages.module.css'

/** The dialog; closed while nothing is looked at. */
export function PreviewDialog(props: { looked: AvailablePackage | undefined; onClose: () => void }) {
  const { looked } = props
  return (
    <Dialog
      opened={looked !== undefined}
      onClose={props.onClose}
      title={looked === undefined ? '' : `${looked.name} ${looked.version}`}
      size="lg"
    >
      {looked && <Preview key={looked.artifactRef} looked={looked} onClose={props.onClose} />}
    </Dialog>
  )
}

function Preview({ looked, onClose }: { looked: AvailablePackage; onClose: () => void }) {
  const client = useQueryClient()
  const { data: preview, error, refetch } = useQuery(previewQuery(looked.artifactRef))
  const [withSamples, setWithSamples] = useState(true)
  const [busy, setBusy] = useState(false)
  const [problem, setProblem] = useState<string>()
  if (error) return <LoadFailure error={error} onRetry={() => void refetch()} />
  if (!preview) return <Loading />
  const samples = preview.records.filter(({ sample }) => sample).reduce((sum, { count }) => sum + count, 0)

  const install = async (): Promise<void> => {
    setBusy(true)
    setProblem(undefined)
    try {
      const body = { artifactRef: looked.artifactRef, samples: withSamples, installDependencies: true }
      const { id, name } = await call('installPackage', { body })
      await refreshAfterPackages(client)
      showToast({ message: t('packages.installed', { name }), tone: 'good' })
      navigate(installedPackagePath(id))
    } catch (failure) {
      setProblem(packageProblem(failure))
    } finally {
      setBusy(false)
    }
  }
  return (
    <div className={parts.stack}>
      {preview.description !== undefined && <p>{preview.description}</p>}
      <p className={parts.quiet}>{t(`packages.trust.${preview.trust}`)}</p>
      <Additions preview={preview} />
      <section aria-labelledby="package-may">
        <h3 className={classes.small} id="package-may">
          {t('packages.preview.may')}
        </h3>
        <p className={classes.line}>
          {preview.permissions.length === 0
            ? t('packages.preview.nothing')
            : t('packages.preview.asks', { rights: preview.permissions.join(', ') })}
        </p>
        {preview.rights.length > 0 && (
          <p className={classes.line}>{t('packages.preview.needs', { rights: preview.rights.join(', ') })}</p>
        )}
      </section>
      <Dependencies preview={preview} />
      {samples > 0 && (
        <Checkbox
          checked={withSamples}
          onChange={(event) => setWithSamples(event.currentTarget.checked)}
          label={tn('packages.preview.samples', samples)}
        />
      )}
      {preview.obstacle && (
        <Notice tone="bad" title={t('packages.preview.obstacle')}>
          {preview.obstacle.message}
        </Notice>
      )}
      {problem !== undefined && (
        <Notice tone="bad" live>
          {problem}
        </Notice>
      )}
      <Group justify="flex-end">
        <Button variant="default" onClick={onClose}>
          {t('app.cancel')}
        </Button>
        <Button loading={busy} disabled={preview.obstacle !== undefined} onClick={() => void install()}>
          {t('packages.install')}
        </Button>
      </Group>
    </div>
  )
}

function Additions({ preview }: { preview: PackagePreview }) {
  const byType = Map.groupBy(preview.items, ({ type }) => type)
  const counts = Object.fromEntries([...byType].map(([type, items]) => [type, items.length]))
  const objects = byType.get('object') ?? []
  const own = preview.records.filter(({ sample }) => !sample).reduce((sum, { count }) => sum + count, 0)
  return (
    <section aria-labelledby="package-adds">
      <h3 className={classes.small} id="package-adds">
        {t('packages.preview.adds')}
      </h3>
      <p className={classes.line}>{countText(counts)}</p>
      {objects.length > 0 && (
        <ul className={classes.chips}>
          {objects.map(({ name, label }) => (
            <li key={name}>{label ?? name}</li>
          ))}
        </ul>
      )}
      {own > 0 && <p className={classes.line}>{tn('word.recordCount', own)}</p>}
    </section>
  )
}

function Dependencies({ preview }: { preview: PackagePreview }) {
  const { dependencies } = preview.dependencyResolution
  if (dependencies.length === 0) return null
  return (
    <section aria-labelledby="package-needs">
      <h3 className={classes.small} id="package-needs">
        {t('packages.preview.needsOthers')}
      </h3>
      <ul className={classes.plain}>
        {dependencies.map((one) => (
          <li key={one.packageId}>
            {one.packageId} {one.requiredRange}
            {one.conflictReason !== undefined && <span className={parts.problem}> {one.conflictReason}</span>}
          </li>
        ))}
      </ul>
    </section>
  )
}
