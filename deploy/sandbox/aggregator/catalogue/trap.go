package catalogue

// accessoryParts carry the names of other products, so that a search by words
// alone finds them too; their prices are far from those of the product.
func accessoryParts() []draft {
	return []draft{
		{brand: "Alphacool", short: "Core blok wodny GeForce RTX 4070 SUPER Gaming X", code: "ALC-13527", zlotys: 549, rare: true},
		{brand: "Alphacool", short: "Core blok wodny GeForce RTX 4090 Strix", code: "ALC-13448", zlotys: 729, rare: true},
		{brand: "EK", short: "Quantum Vector² blok wodny GeForce RTX 4080", code: "EKV2-4080", zlotys: 899, rare: true},
		{brand: "Savio", short: "Wspornik karty graficznej do RTX 4070, RTX 4080, RTX 4090", zlotys: 39, rare: true},
		{brand: "Akyga", short: "Kabel 12VHPWR do RTX 4070 SUPER i RTX 4080 SUPER", zlotys: 49, rare: true},
		{brand: "Axagon", short: "Radiator M.2 do Samsung 980 PRO i 990 PRO", code: "CLR-M2L6", zlotys: 45, rare: true},
		{brand: "Thermalright", short: "Ramka montażowa AM5 do Ryzen 7 7800X3D", code: "TR-AM5", zlotys: 35, rare: true},
	}
}

// computers are complete sets with the names of their parts.
func computers() []draft {
	return []draft{
		{brand: "Nordvik", short: "Komputer gamingowy Ryzen 7 7800X3D RTX 4070 SUPER 32GB 1TB", zlotys: 6299, rare: true},
		{brand: "Nordvik", short: "Komputer gamingowy Ryzen 7 9800X3D RTX 5080 32GB 2TB", zlotys: 9999, rare: true},
		{brand: "Halny", short: "Komputer gamingowy Core i5-14400F RTX 4060 16GB 1TB", zlotys: 3699, rare: true},
		{brand: "Halny", short: "Komputer gamingowy Ryzen 5 7600 RX 7800 XT 32GB 1TB", zlotys: 4799, rare: true},
	}
}
