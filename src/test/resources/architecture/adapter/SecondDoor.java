package fleet.tower.lock.file;

public final class SecondDoor {}
