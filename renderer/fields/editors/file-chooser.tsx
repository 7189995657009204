// Owns choosing the files of a field: those that are there, those on their way, a button and a place to drop more.
import { useEffect, useRef } from 'react'
import { ChosenFiles, FileDrop, PickButton, UploadList } from '../../components/files/index.ts'
import classes from '../../components/files/files.module.css'
import { t } from '../../lib/strings.ts'
import { useUploads } from '../../lib/use-uploads.ts'
import type { FieldEditorProps } from '../field-type.ts'
import { acceptOf, filesFromText, filesIn, filesToText, shownFile } from '../file-text.ts'
import type { NamedFile } from '../file-text.ts'

/** The editor; leaving it cancels what is still on its way. */
export function FileChooser(props: FieldEditorProps) {
  const { field, label, draft } = props
  const isMultiple = field.multiple === true
  const read = draft === '' ? null : filesFromText(draft, field)
  // A letter that was typed on the cell names no file: what is stored stays.
  const files = filesIn(read === undefined ? props.value : read)
  const button = useRef<HTMLButtonElement>(null)
  /** Two files may arrive between two drawings. */
  const latest = useRef<readonly NamedFile[]>(files)
  latest.current = files

  const put = (next: readonly NamedFile[]): void => {
    latest.current = next
    props.onDraft(filesToText(next, field))
  }
  const uploads = useUploads((file) => put(isMultiple ? [...latest.current, file] : [file]))
  const add = (given: readonly File[]): void => {
    uploads.add(isMultiple ? given : given.slice(0, 1))
    // The dialog of the system had the focus.
    button.current?.focus()
  }
  useEffect(() => {
    if (read === undefined) put(files)
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- once, for what the editor was opened with
  }, [])
  useEffect(() => {
    if (props.autoFocus) button.current?.focus({ preventScroll: true })
  }, [props.autoFocus])
  return (
    <FileDrop onFiles={add}>
      <div
        role="group"
        aria-label={label}
        aria-describedby={props.describedBy}
        className={classes.editor}
        // Enter works the buttons in here; it does not end the editor.
        onKeyDown={(event) => {
          if (event.key === 'Enter' && event.target instanceof HTMLButtonElement) event.stopPropagation()
        }}
      >
        <ChosenFiles
          files={files.map(shownFile)}
          label={t('word.files')}
          onRemove={({ fileId }) => {
            put(files.filter((file) => file.fileId !== fileId))
            button.current?.focus()
          }}
        />
        <UploadList uploads={uploads} />
        <div className={classes.editorFoot}>
          <PickButton
            button={button}
            label={t(isMultiple ? 'files.choose.other' : files.length > 0 ? 'files.replace' : 'files.choose.one')}
            multiple={isMultiple}
            accept={acceptOf(field)}
            onFiles={add}
          />
          <span>{t('files.drop')}</span>
        </div>
      </div>
    </FileDrop>
  )
}
