// Owns whether every file is kept on this device, or comes from another one when it is opened.
import { Switch } from '@mantine/core'
import parts from '../../components/parts.module.css'
import { t } from '../../lib/strings.ts'
import { showProblem } from '../../lib/toast.ts'
import { useSettingsChange } from './use-settings-change.ts'

/** The choice. */
export function KeepFiles(props: { keepFiles: boolean }) {
  const change = useSettingsChange()
  const keep = async (keepFiles: boolean): Promise<void> => {
    try {
      await change({ keepFiles }, t(keepFiles ? 'filePlace.keep.on' : 'filePlace.keep.off'))
    } catch (error) {
      showProblem(error)
    }
  }
  return (
    <section className={parts.section} aria-labelledby="sync-files">
      <h2 id="sync-files">{t('word.files')}</h2>
      <div className={parts.form}>
        <Switch
          label={t('filePlace.keep')}
          description={t('filePlace.keep.help')}
          checked={props.keepFiles}
          onChange={(event) => void keep(event.currentTarget.checked)}
        />
      </div>
    </section>
  )
}
