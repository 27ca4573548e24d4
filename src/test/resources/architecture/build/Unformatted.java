package fleet.tower.planted;

final class Unformatted {
    private   Unformatted( ) {
    }
}
