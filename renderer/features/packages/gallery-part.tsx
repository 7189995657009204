// Owns the gallery: what comes with Cairn, what was uploaded, and uploading an archive.
import { Button } from '@mantine/core'
import { IconPackages, IconUpload } from '@tabler/icons-react'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { Loading } from '../../components/delayed.tsx'
import { EmptyState } from '../../components/notice.tsx'
import parts from '../../components/parts.module.css'
import { upload } from '../../lib/api-client.ts'
import { navigate } from '../../lib/hash-location.ts'
import { t } from '../../lib/strings.ts'
import { showToast } from '../../lib/toast.ts'
import { AccessFailure } from '../access/index.ts'
import { PackageCards } from './package-cards.tsx'
import { galleryPath, installedPackagePath, previewPath } from './package-places.ts'
import { availableQuery, refreshAfterPackages } from './package-queries.ts'
import { newestOf, packageProblem } from './package-words.ts'
import { PreviewDialog } from './preview-dialog.tsx'
import classes from './packages.module.css'

/** The part; `id` is the package that is looked at. */
export function GalleryPart(props: { id: string | undefined }) {
  const { data, error, refetch } = useQuery(availableQuery)
  const newest = newestOf(data ?? [])
  const groups = (['bundled', 'uploaded'] as const)
    .map((origin) => ({ origin, packages: newest.filter((one) => one.origin === origin) }))
    .filter(({ packages }) => packages.length > 0)
  // What is installed is looked at where one can do something about it.
  const looked = newest.find((one) => one.packageId === props.id && one.installedVersion === undefined)
  if (error && !data) return <AccessFailure error={error} permission="manage_packages" onRetry={() => void refetch()} />
  if (!data) return <Loading />
  return (
    <>
      <div className={parts.bar}>
        <p className={parts.quiet}>{t('packages.gallery.lead')}</p>
        <UploadButton />
      </div>
      {groups.length === 0 && (
        <EmptyState title={t('packages.gallery.none')} icon={<IconPackages size={32} stroke={1.5} aria-hidden />}>
          {t('packages.gallery.none.text')}
        </EmptyState>
      )}
      {groups.map(({ origin, packages }) => (
        <section key={origin} className={parts.section} aria-labelledby={`packages-${origin}`}>
          <h2 id={`packages-${origin}`}>{t(`packages.gallery.${origin}`)}</h2>
          <div className={classes.below}>
            <PackageCards label={t(`packages.gallery.${origin}`)} packages={packages} />
          </div>
        </section>
      ))}
      <PreviewDialog looked={looked} onClose={() => navigate(galleryPath)} />
    </>
  )
}

function UploadButton() {
  const client = useQueryClient()
  const input = useRef<HTMLInputElement>(null)
  const [busy, setBusy] = useState(false)
  const send = async (file: File): Promise<void> => {
    setBusy(true)
    try {
      const form = new FormData()
      form.append('artifact', file)
      const { packageId, version } = await upload('uploadPackage', { params: {}, query: {}, file: form })
      await refreshAfterPackages(client)
      const known = await client.fetchQuery(availableQuery)
      const isInstalled = known.some((one) => one.packageId === packageId && one.installedVersion !== undefined)
      const name = known.find((one) => one.packageId === packageId)?.name ?? packageId
      showToast({ message: t('packages.upload.done', { name, version }), tone: 'good' })
      navigate(isInstalled ? installedPackagePath(packageId) : previewPath(packageId))
    } catch (error) {
      showToast({ message: packageProblem(error), tone: 'bad' })
    } finally {
      setBusy(false)
    }
  }
  return (
    <>
      <input
        ref={input}
        type="file"
        accept=".zip,.tgz,.gz"
        hidden
        aria-label={t('packages.upload')}
        onChange={(event) => {
          const [file] = event.currentTarget.files ?? []
          event.currentTarget.value = ''
          if (file) void send(file)
        }}
      />
      <Button
        variant="default"
        loading={busy}
        leftSection={<IconUpload size={16} aria-hidden />}
        onClick={() => input.current?.click()}
      >
        {t('packages.upload')}
      </Button>
    </>
  )
}
