// Owns the German words of the area file-places.
import type { filePlaceStrings } from '../en/file-places.ts'

/** The German words of {@link filePlaceStrings}. */
export const filePlaceGerman: Record<keyof typeof filePlaceStrings, string> = {
  'filePlace.column': 'Wo',
  'filePlace.here': 'Auf diesem Gerät',
  'filePlace.away': 'Auf einem anderen Gerät',
  'filePlace.away.of': 'Auf {machine}',
  'filePlace.help': 'Dateien, die noch nicht auf diesem Gerät sind: Öffne eine, um sie zu holen.',
  'filePlace.coming': 'Kommt an: {received} von {size}',
  'filePlace.waiting': 'Noch nicht auf diesem Gerät. Die Datei wird geholt.',
  'filePlace.waiting.of': 'Noch nicht auf diesem Gerät. Die Datei wird von {machine} geholt.',
  'filePlace.progress': '{name} wird geholt',
  'filePlace.problem':
    'Diese Datei liegt auf einem anderen Gerät, das nicht verbunden ist. Starte es und öffne sie dann noch einmal.',
  'filePlace.problem.of':
    'Diese Datei liegt auf {machine}, das nicht verbunden ist. Starte {machine} und öffne sie dann noch einmal.',
  'filePlace.problem.refused': 'Kein verbundenes Gerät hat diese Datei gegeben. Öffne sie später noch einmal.',
  'filePlace.keep': 'Alle Dateien auf diesem Gerät behalten',
  'filePlace.keep.help':
    'Holt alle Dateien im Hintergrund, die neuesten zuerst. Sonst kommt eine Datei von einem anderen Gerät, wenn du sie öffnest.',
  'filePlace.keep.on': 'Alle Dateien bleiben auf diesem Gerät',
  'filePlace.keep.off': 'Dateien kommen auf dieses Gerät, wenn sie geöffnet werden',
}
